import { type Counted, loadCounted } from '@waybill/testing/steps'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ENVIRONMENT_TYPES,
  type EnvironmentType,
  normalizeReport,
  type ReportElement,
  type RunningArtifact,
} from './report.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)

const makeElement = (digests: Record<string, string>, creationTimestamp = 100): ReportElement => ({
  digests,
  creationTimestamp,
})
const makePod = (
  podName: string,
  namespace: string,
  creationTimestamp = 100,
  owners: unknown[] | null = null,
) => ({
  ...makeElement({ app: A }, creationTimestamp),
  podName,
  namespace,
  owners,
})
const requireOnly = (artifacts: RunningArtifact[]): RunningArtifact => {
  const [artifact, ...others] = artifacts
  if (!artifact || others.length > 0) throw new Error(`${artifacts.length} artifacts`)
  return artifact
}

describe('a report', () => {
  // elements: [[digests, time]]; expected: [[key, name, times]]
  const table: [string, [Record<string, string>, number][], [string, string, number[]][]][] = [
    ['of nothing', [], []],
    ['of an element without digests', [[{}, 1]], []],
    ['of one instance', [[{ app: A }, 1]], [[A, 'app', [1]]]],
    [
      'of one element with two digests',
      [[{ web: B, app: A }, 1]],
      [
        [A, 'app', [1]],
        [B, 'web', [1]],
      ],
    ],
    [
      'of two elements with one digest',
      [
        [{ app: A }, 10],
        [{ app: A }, 9],
      ],
      [[A, 'app', [9, 10]]],
    ],
    [
      'of one digest under several names',
      [
        [{ 'app:2': A }, 1],
        [{ 'app:1': A }, 1],
        [{ '\u{1f600}': A }, 1],
      ],
      [[A, 'app:1', [1, 1, 1]]],
    ],
    [
      'of one element that names one digest twice',
      [
        [{ 'app:2': A, web: B, 'app:1': A }, 1],
        [{ app: A }, 2],
      ],
      [
        [A, 'app', [1, 2]],
        [B, 'web', [1]],
      ],
    ],
    ['of an unknown image', [[{ app: '' }, 1]], [['name:app', 'app', [1]]]],
    [
      'of unknown images, and the same name with a digest',
      [
        [{ app: '', web: '' }, 1],
        [{ app: A }, 2],
        [{ app: '' }, 3],
      ],
      [
        [A, 'app', [2]],
        ['name:app', 'app', [1, 3]],
        ['name:web', 'web', [1]],
      ],
    ],
  ]
  it.each(table)('%s', (_, elements, expected) => {
    const artifacts = normalizeReport(
      'docker',
      elements.map(([digests, time]) => makeElement(digests, time)),
    )
    expect(artifacts).toStrictEqual(
      expected.map(([key, name, times]) => ({
        artifact_key: key,
        fingerprint: key.startsWith('name:') ? '' : key,
        name,
        instance_count: times.length,
        instances: {
          creation_timestamps: times,
          pods: null,
          container_task_context: null,
          serverless_run_context: null,
          app_context: null,
        },
      })),
    )
  })

  it('counts the same object given twice as two instances', () => {
    const element = makeElement({ app: A })
    expect(requireOnly(normalizeReport('docker', [element, element])).instance_count).toBe(2)
  })

  it('handles the names that objects inherit', () => {
    const digests = JSON.parse(`{"__proto__": "", "constructor": "", "toString": "${A}"}`)
    const keys = normalizeReport('docker', [makeElement(digests)]).map(artifact => artifact.artifact_key)
    expect(keys).toEqual([A, 'name:__proto__', 'name:constructor'])
  })
})

describe('pods', () => {
  const listPods = (...elements: ReportElement[]) =>
    requireOnly(normalizeReport('K8S', elements)).instances.pods ?? {}

  it('are shown by name', () => {
    const owners = [{ kind: 'ReplicaSet', name: 'web' }]
    expect(listPods(makePod('web-2', 'prod', 5), makePod('web-1', 'prod', 7, owners))).toStrictEqual({
      'web-1': { namespace: 'prod', creationTimestamp: 7, owners },
      'web-2': { namespace: 'prod', creationTimestamp: 5, owners: [] },
    })
  })

  it('of one name in several namespaces are all shown, with the namespace', () => {
    const pods = listPods(
      makePod('web', 'prod'),
      makePod('db', 'prod'),
      makePod('web', 'test'),
      makePod('web', 'dev'),
    )
    expect(Object.keys(pods)).toEqual(['db', 'dev/web', 'prod/web', 'test/web'])
  })

  it('that are reported twice are two instances shown once', () => {
    const artifact = requireOnly(
      normalizeReport('K8S', [makePod('web', 'prod', 9), makePod('web', 'prod', 5)]),
    )
    expect(artifact.instances.creation_timestamps).toEqual([5, 9])
    expect(artifact.instances.pods).toEqual({ web: { namespace: 'prod', creationTimestamp: 9, owners: [] } })
  })

  it('that differ in their owners only are shown alike in either order', () => {
    const twins = [makePod('web', 'prod', 5, [{ name: 'x' }]), makePod('web', 'prod', 5, [{ name: 'y' }])]
    expect(listPods(...twins)).toEqual(listPods(...twins.toReversed()))
  })

  it('may have any name', () => {
    const pods = listPods(makePod('__proto__', 'prod'), makePod('constructor', 'prod'), makePod('10', 'prod'))
    expect(Object.keys(pods).sort()).toEqual(['10', '__proto__', 'constructor'])
    expect(Object.getPrototypeOf(pods)).toBe(Object.prototype)
  })
})

describe('the context', () => {
  const describeInstances = (type: EnvironmentType, ...elements: Partial<ReportElement>[]) =>
    requireOnly(
      normalizeReport(
        type,
        elements.map(element => ({ ...makeElement({ app: A }), ...element })),
      ),
    ).instances

  it('of tasks comes from the first', () => {
    const instances = describeInstances(
      'ECS',
      { taskArn: 'arn:2', cluster_name: 'c' },
      { taskArn: 'arn:1', service_name: '' },
    )
    expect(instances.container_task_context).toStrictEqual({
      task_arn: 'arn:1',
      cluster_name: null,
      service_name: null,
    })
    expect(instances.pods).toBeNull()
  })

  it('of serverless services and jobs goes by service, revision and job', () => {
    const first = { kind: 'service', serviceName: 'a', revisionName: 'a-2' }
    const others = [
      { kind: 'service', serviceName: 'b', revisionName: 'b-1' },
      { kind: 'service', serviceName: 'a', revisionName: 'a-3' },
    ]
    expect(describeInstances('cloud-run', ...others, first).serverless_run_context).toStrictEqual({
      kind: 'service',
      revision_name: 'a-2',
      service_name: 'a',
      job_name: null,
    })
    const jobs = describeInstances('cloud-run', { kind: 'job', jobName: 'y' }, { kind: 'job', jobName: 'x' })
    expect(jobs.serverless_run_context?.job_name).toBe('x')
  })

  it('of apps comes from the first', () => {
    const makeApp = (app_name: string) => ({ app_name, app_kind: 'app', digests_source: 'logs' })
    expect(describeInstances('cloudx-apps', makeApp('b'), makeApp('a')).app_context).toStrictEqual(
      makeApp('a'),
    )
  })

  it.each(ENVIRONMENT_TYPES)('of %s has at most its own kind', type => {
    const { creation_timestamps, ...contexts } = describeInstances(type, {
      ...makePod('p', 'n'),
      taskArn: 't',
    })
    const own = { K8S: 'pods', ECS: 'container_task_context', 'cloud-run': 'serverless_run_context' } as const
    const expected: string[] =
      type === 'cloudx-apps' ? ['app_context'] : type in own ? [own[type as 'K8S']] : []
    expect(Object.entries(contexts).flatMap(([key, value]) => (value ? [key] : []))).toEqual(expected)
    expect(creation_timestamps).toEqual([100])
  })
})

const word = fc.constantFrom('a', 'b', 'c', '__proto__', '\u{e000}', '\u{1f600}')
const anyElement = fc.record({
  digests: fc.dictionary(word, fc.constantFrom(A, B, ''), { maxKeys: 3 }),
  creationTimestamp: fc.nat(3),
  podName: word,
  namespace: word,
  // Parsed JSON never lacks a prototype.
  owners: fc.option(fc.array(fc.record({ name: word }, { noNullPrototype: true }), { maxLength: 2 })),
  taskArn: word,
  cluster_name: fc.option(word),
  service_name: fc.option(word, { nil: undefined }),
  app_name: word,
  app_kind: word,
  digests_source: word,
  kind: fc.option(word),
  serviceName: fc.option(word),
  revisionName: fc.option(word),
  jobName: fc.option(word, { nil: undefined }),
})
const shuffled = fc
  .array(anyElement, { maxLength: 8 })
  .chain(elements =>
    fc.tuple(
      fc.constant(elements),
      fc.shuffledSubarray(elements, { minLength: elements.length, maxLength: elements.length }),
    ),
  )

it('does not depend on the order of the report', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ENVIRONMENT_TYPES), shuffled, (type, [elements, others]) => {
      const turned = others.map(element => ({
        ...element,
        digests: Object.fromEntries(Object.entries(element.digests).reverse()),
      }))
      const [once, again] = [normalizeReport(type, elements), normalizeReport(type, turned)]
      expect(again).toStrictEqual(once)
      expect(JSON.stringify(again)).toBe(JSON.stringify(once))
    }),
    { numRuns: 500 },
  )
})

it('loses no instance and invents none', () => {
  fc.assert(
    fc.property(fc.array(anyElement, { maxLength: 8 }), elements => {
      const expected = elements.flatMap(({ digests }) => [
        ...new Set(Object.entries(digests).map(([name, digest]) => digest || `name:${name}`)),
      ])
      const found = normalizeReport('K8S', elements).flatMap(
        ({ artifact_key, instance_count, instances }) => {
          expect(instances.creation_timestamps).toHaveLength(instance_count)
          return Array<string>(instance_count).fill(artifact_key)
        },
      )
      expect(found.sort()).toEqual(expected.sort())
    }),
  )
})

describe('10,000 elements', () => {
  const makeDigest = (n: number) => n.toString(16).padStart(64, '0')
  const reports = {
    'of one artifact': (n: number) => ({ ...makePod(`web-${n * 7919}`, 'prod', n), digests: { app: A } }),
    'of as many artifacts': (n: number) => ({
      ...makePod(`web-${n}`, 'prod', n),
      digests: { app: makeDigest(n) },
    }),
    'of one pod name': (n: number) => ({ ...makePod('web', `ns-${n}`, n), digests: { app: A } }),
  }
  let counted: Counted<typeof import('./report.ts')>
  beforeAll(async () => {
    counted = await loadCounted(new URL('./report.ts', import.meta.url))
  })

  it.each(Object.entries(reports))('%s take the steps of ten times a thousand', (_, elementOf) => {
    const { module, stepsOf } = counted
    const elements = Array.from({ length: 10_000 }, (_, n) => elementOf(n))
    const countSteps = (many: number) => stepsOf(() => module.normalizeReport('K8S', elements.slice(0, many)))
    // Slightly more than linear, because of sorting; comparing each with each would take a hundred times as many.
    expect(countSteps(10_000) / countSteps(1_000)).toBeLessThan(20)
  })
})
