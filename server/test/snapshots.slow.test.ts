// Snapshots through the API: whatever is reported, in any order and concurrently, every snapshot matches exactly one
// report, is numbered without gaps, and never changes again.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  type Pod,
  putPolicy,
  readLatestIndex,
  readLatestSnapshot,
  report,
} from './environments.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeFingerprint } from './reports.ts'
import { listStatements } from './statement-log.ts'

const ROUNDS = 10
const CALLERS = 32

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

interface Shown {
  name: string
  fingerprint: string
  annotation: { now: number }
  pods: Record<string, unknown>
}

/** The running pods of a snapshot, by image. */
async function readRunning(environment: string, index: number): Promise<Record<string, string[]>> {
  const { status, body } = await app.reader.get(`/snapshots/acme/${environment}/${index}`)
  expect(status).toBe(200)
  return Object.fromEntries(
    (body.artifacts as Shown[])
      .filter(({ annotation }) => annotation.now > 0)
      .map(({ name, pods }) => [name, Object.keys(pods).sort()]),
  )
}

function listPods(...running: (string | Pod)[]): Record<string, string[]> {
  const pods: Record<string, string[]> = {}
  for (const { digests, podName } of buildPodReport(...running).artifacts) {
    for (const image of Object.keys(digests)) pods[image] = [...(pods[image] ?? []), podName].sort()
  }
  return pods
}

describe('snapshots', () => {
  it('all match exactly one report', async () => {
    const images = ['a', 'b', 'c', 'd', 'e', 'f']
    const state = fc.dictionary(fc.constantFrom(...images), fc.subarray(['p1', 'p2', 'p3'], { minLength: 1 }))
    let environments = 0
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 12 }), async states => {
        const environment = `random-${environments++}`
        await makeEnvironment(app, environment)
        const expected: Record<string, string[]>[] = []
        let images_before: string | undefined
        for (const reported of states) {
          const pods = Object.entries(reported).map(([start, names]) => ({ start, pods: names }))
          expect((await report(app, environment, ...pods)).status).toBe(200)
          const images_now = Object.keys(reported).sort().join()
          if (images_now !== images_before) expected.push(listPods(...pods))
          images_before = images_now
        }
        expect(await readLatestIndex(app, environment)).toBe(expected.length)
        for (const [i, expected_pods] of expected.entries())
          expect(await readRunning(environment, i + 1)).toEqual(expected_pods)
      }),
      { numRuns: 25 },
    )
  })

  it('are created once by 32 identical concurrent reports', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const environment = `same-${round}`
      await makeEnvironment(app, environment)
      await report(app, environment, 'a')
      const answers = await Promise.all(
        Array.from({ length: CALLERS }, () => report(app, environment, 'a', 'b')),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(await readLatestIndex(app, environment)).toBe(2)
      expect(await readRunning(environment, 2)).toEqual(listPods('a', 'b'))
    }
  })

  it('are numbered without gaps by 32 different concurrent reports, and each matches exactly one of them', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const environment = `other-${round}`
      await makeEnvironment(app, environment)
      const sent = Array.from({ length: CALLERS }, (_, i) => ['a', `c${i.toString(16).padStart(2, '0')}`])
      const answers = await Promise.all(sent.map(running => report(app, environment, ...running)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const indexes = (await app.reader.get(`/snapshots/acme/${environment}?per_page=100&reverse=true`)).body
      expect(indexes.map(({ index }: { index: number }) => index)).toEqual(sent.map((_, i) => i + 1))
      const found = await Promise.all(sent.map((_, i) => readRunning(environment, i + 1)))
      const expected_pods = sent
        .map(running => JSON.stringify(Object.keys(listPods(...running)).sort()))
        .sort()
      expect(found.map(running => JSON.stringify(Object.keys(running).sort())).sort()).toEqual(expected_pods)
    }
  })

  it('do not change over time', async () => {
    await makeEnvironment(app, 'stone')
    await putPolicy(app, 'stone', buildPolicyRequiring())
    await report(app, 'stone', 'a', 'b')
    await attach(app, 'stone', 'stone')
    const before = await Promise.all([1, 2].map(i => app.reader.get(`/snapshots/acme/stone/${i}`)))
    app.clock.advance(60_000)
    await putPolicy(app, 'stone', buildPolicyRequiring('more'))
    await app.evaluate()
    await report(app, 'stone', { start: 'a', pods: ['x', 'y'] }, 'c')
    await app.member.put('/environments/acme/stone/rename', { new_name: 'rock' })
    const after = await Promise.all([1, 2].map(i => app.reader.get(`/snapshots/acme/rock/${i}`)))
    const fixed = (answers: typeof before) =>
      answers.map(
        ({ body: { is_latest, next_snapshot_timestamp, html_url, environment_name, ...rest } }) => rest,
      )
    expect(fixed(after)).toEqual(fixed(before))
  })

  it('have the number of instances, and a new number creates one only if the environment includes scaling', async () => {
    await makeEnvironment(app, 'calm')
    await makeEnvironment(app, 'lively', { include_scaling: true })
    for (const environment of ['calm', 'lively']) {
      await report(app, environment, { start: 'a', pods: ['p1'] })
      await report(app, environment, { start: 'a', pods: ['p1', 'p2', 'p3'] })
    }
    expect(await readLatestIndex(app, 'calm')).toBe(1)
    const { artifacts } = await readLatestSnapshot(app, 'lively')
    expect(artifacts[0].annotation).toEqual({ type: 'scaled', was: 1, now: 3 })
    expect(artifacts[0].creationTimestamp).toHaveLength(3)
    // A change without a snapshot shows in the next one.
    await report(app, 'calm', { start: 'a', pods: ['p1', 'p2'] }, 'b')
    const next = await readLatestSnapshot(app, 'calm')
    expect(next.index).toBe(2)
    expect(next.artifacts[0].creationTimestamp).toHaveLength(2)
  })

  it('are recorded, each by one event with its actor and cause', async () => {
    await makeEnvironment(app, 'recorded')
    await makeEnvironment(app, 'around', { type: 'logical', included_environments: ['recorded'] })
    await putPolicy(app, 'recorded', buildPolicyRequiring())
    await report(app, 'recorded', 'a')
    await report(app, 'recorded', 'a')
    await attach(app, 'recorded', 'recorded')
    const readEvents = async (environment_name: string) =>
      (await app.readEvents('snapshot_taken')).filter(
        ({ data }) => data.environment_name === environment_name,
      )
    for (const environment_name of ['recorded', 'around']) {
      expect(await readEvents(environment_name)).toEqual([
        {
          kind: 'snapshot_taken',
          actor: 'sam',
          data: { environment_name, snapshot_index: 1, compliant: null, cause: 'report' },
        },
        {
          kind: 'snapshot_taken',
          actor: 'max',
          data: { environment_name, snapshot_index: 2, compliant: false, cause: 'policies' },
        },
      ])
    }
  })

  it('are created by a first empty report, and not by the second', async () => {
    await makeEnvironment(app, 'empty')
    await report(app, 'empty')
    await report(app, 'empty')
    const snapshot = await readLatestSnapshot(app, 'empty')
    expect(snapshot).toMatchObject({ index: 1, artifacts: [], state: null })
  })

  it('keep exited artifacts, once', async () => {
    await makeEnvironment(app, 'exits')
    await report(app, 'exits', 'a', 'b')
    await report(app, 'exits', 'a')
    const { artifacts, artifact_compliance_count } = await readLatestSnapshot(app, 'exits')
    const gone = artifacts.find(({ name }: Shown) => name === buildImageName('b'))
    expect(gone).toMatchObject({
      fingerprint: makeFingerprint('b'),
      annotation: { type: 'exited', was: 1, now: 0 },
    })
    expect(artifact_compliance_count).toEqual({ true: 0, false: 0, null: 1 })
    await report(app, 'exits', 'a', 'c')
    expect(Object.keys(await readRunning('exits', 3))).toEqual([buildImageName('a'), buildImageName('c')])
    expect((await readLatestSnapshot(app, 'exits')).artifacts).toHaveLength(2)
  })

  it('cost one statement when nothing changed, whatever the size, and few otherwise', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `d${i.toString(16).padStart(4, '0')}`)
    const sent: Record<string, string[]> = {}
    const note = async (label: string, work: () => Promise<unknown>) => {
      sent[label] = await listStatements(app, work)
    }
    for (const size of [10, 800]) {
      const environment = `size-${size}`
      await makeEnvironment(app, environment)
      await note(`first ${size}`, () => report(app, environment, ...many(size)))
      await note(`again ${size}`, () => report(app, environment, ...many(size)))
      await note(`changed ${size}`, () => report(app, environment, ...many(size).slice(1), 'e'))
    }
    expect(sent['again 800']).toEqual(['environments.report_again'])
    expect(sent['again 800']).toEqual(sent['again 10'])
    expect(sent['first 800']).toEqual(sent['first 10'])
    expect(sent['changed 800']).toEqual(sent['changed 10'])
    expect(sent['changed 800']?.length).toBeLessThanOrEqual(26)
  })
})
