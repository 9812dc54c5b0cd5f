// GET /running/{org} and /running/{org}/csv: which version of each artifact runs in which environment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, buildPolicyRequiring, makeEnvironment, putPolicy } from '../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'
import { getBaseName } from '../../domain/snapshot/replaced.ts'

const REGISTRY = 'registry.example.com'
const HOUR_MS = 3_600_000

let app: TestApp
let began: number
const toTime = (hours: number) => began + hours * 3600

const buildPods = (running: Record<string, string>) => ({
  artifacts: Object.entries(running).map(([name, start]) => ({
    podName: `pod-${start}`,
    namespace: 'default',
    digests: { [name]: makeFingerprint(start) },
    creationTimestamp: 1,
    owners: null,
  })),
})
const runs = (environment: string, running: Record<string, string>) =>
  app.snapshotter.put(`/environments/acme/${environment}/report/K8S`, buildPods(running))

// web: version 1 in prod and stage, 2 in test. api: the same everywhere. Only prod has a policy, and archive is stale.
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  const repo_info = { id: '1', name: 'acme/web', url: 'https://git.example/acme/web' }
  const build = makeBuild(makeFingerprint('a'), { ...nameTrail('t'), repo_info })
  await app.member.post('/artifacts/acme/build', build)
  for (const name of ['prod', 'stage', 'test', 'gone']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'archive', { expected_report_interval: 60 })
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod'] })
  await app.member.patch('/tags/acme/environment/prod', { set_tags: { tier: '1' } })
  await putPolicy(app, 'built', buildPolicyRequiring())
  await attach(app, 'prod', 'built')
  await runs('prod', { [`${REGISTRY}/web:1`]: 'a', [`${REGISTRY}/api:7`]: 'c' })
  await runs('archive', { [`${REGISTRY}/api:7`]: 'c' })
  app.clock.advance(HOUR_MS)
  await runs('stage', { [`${REGISTRY}/web:1`]: 'a', [`${REGISTRY}/api:7`]: 'c' })
  await runs('test', { [`${REGISTRY}/web:2`]: 'b' })
  await runs('gone', { [`${REGISTRY}/old:1`]: 'd' })
  await app.admin.put('/environments/acme/gone/archive')
  app.clock.advance(HOUR_MS)
  // Deployed again: it started just now, and is still the older version.
  await runs('stage', { [`${REGISTRY}/api:7`]: 'c' })
  await runs('stage', { [`${REGISTRY}/web:1`]: 'a', [`${REGISTRY}/api:7`]: 'c' })
})
afterAll(() => app.stop())

interface Cell {
  environment_name: string
  version: string
  is_newest: boolean
  state: string
  started_at: number
}
interface Row {
  name: string
  version_count: number
  environment_count: number
  running: Cell[]
}

async function read(query = '') {
  const { status, body } = await app.reader.get(`/running/acme${query}`)
  expect(status).toBe(200)
  return body
}
const summarize = ({ artifacts }: { artifacts: Row[] }) =>
  artifacts.map(({ name, running }) => [
    name.slice(REGISTRY.length + 1),
    ...running
      .map(cell => `${cell.environment_name} ${cell.version} ${cell.state}${cell.is_newest ? '' : ' older'}`)
      .toSorted(),
  ])
const API = ['api', 'archive 7 stale', 'prod 7 non-compliant', 'stage 7 unknown']
const WEB = ['web', 'prod 1 compliant older', 'stage 1 unknown older', 'test 2 unknown']

describe('200', () => {
  it('has a row for each name and a cell for each version in each environment', async () => {
    const body = await read()
    expect(summarize(body)).toEqual([API, WEB])
    expect(body.environments).toEqual([
      { name: 'archive', type: 'K8S', state: 'stale' },
      { name: 'prod', type: 'K8S', state: 'non-compliant' },
      { name: 'stage', type: 'K8S', state: 'unknown' },
      { name: 'test', type: 'K8S', state: 'unknown' },
    ])
    expect(body).toMatchObject({ page: 1, per_page: 15, total_pages: 1, total_count: 2 })
    expect(body._links.self).toEqual({ href: `${BASE_URL}/api/v2/running/acme` })
    const web = body.artifacts[1]
    expect(web).toMatchObject({ repos: ['acme/web'], version_count: 2, environment_count: 3 })
    expect(web.running.find((cell: Cell) => cell.environment_name === 'prod')).toEqual({
      environment_name: 'prod',
      artifact_name: `${REGISTRY}/web:1`,
      fingerprint: makeFingerprint('a'),
      version: '1',
      is_newest: false,
      state: 'compliant',
      started_at: toTime(0),
      instance_count: 1,
      flow: 'build',
    })
  })

  it('says when a version started there, and which one is new since the shortest time', async () => {
    const { artifacts } = await read('?search=WEB')
    const starts = artifacts[0].running.map((cell: Cell) => [
      cell.environment_name,
      cell.started_at,
      cell.is_newest,
    ])
    expect(starts.toSorted()).toEqual([
      ['prod', toTime(0), false],
      ['stage', toTime(2), false],
      ['test', toTime(1), true],
    ])
  })

  it.each([
    ['?search=web', [WEB]],
    ['?search=%25', []],
    ['?search=&flow=&repo=&environment=', [API, WEB]],
    ['?flow=build', [WEB]],
    ['?flow=nothing', []],
    ['?repo=acme/web', [WEB]],
    ['?repo=acme', []],
    ['?state=non-compliant', [API]],
    ['?state=stale', [API]],
    ['?state=unknown', [API, WEB]],
    ['?differs=true', [WEB]],
    ['?differs=false', [API]],
    [
      '?environment=PRO',
      [
        ['api', 'prod 7 non-compliant'],
        ['web', 'prod 1 compliant'],
      ],
    ],
    ['?environment=prod&differs=true', []],
    [
      '?tag=tier:1',
      [
        ['api', 'prod 7 non-compliant'],
        ['web', 'prod 1 compliant'],
      ],
    ],
    ['?tag=tier:2', []],
  ])('filters whole rows, and columns: %s', async (query, rows) => {
    expect(summarize(await read(query))).toEqual(rows)
  })

  it('pages artifacts and environments, and counts versions over all environments', async () => {
    const body = await read('?page=2&per_page=1&environment_page=2&environment_per_page=1')
    expect(summarize(body)).toEqual([['web', 'prod 1 compliant older']])
    expect(body.artifacts[0]).toMatchObject({ version_count: 2, environment_count: 3 })
    expect(body).toMatchObject({ total_count: 2, environment_total_pages: 4, environment_total_count: 4 })
    expect((await read('?page=9')).total_count).toBe(2)
    expect((await read('?environment_page=9')).environments).toEqual([])
  })

  it('makes the same number of round trips whatever runs', async () => {
    const count = async (query: string) => (await recordWaits(app, () => read(query))).length
    await read()
    expect(await count('?per_page=1')).toBe(await count(''))
    expect(await count('?search=nothing')).toBe(await count(''))
  })

  it('shows what has no fingerprint by its name', async () => {
    await makeEnvironment(app, 'unknown-digest', { type: 'ECS' })
    const task = { taskArn: 'arn:1', digests: { plain: '' }, creationTimestamp: 1 }
    await app.snapshotter.put('/environments/acme/unknown-digest/report/ECS', { artifacts: [task] })
    const { artifacts } = await read('?environment=unknown-digest')
    expect(artifacts).toMatchObject([
      { name: 'plain', running: [{ version: 'plain', fingerprint: '', is_newest: true }] },
    ])
    await app.admin.put('/environments/acme/unknown-digest/archive')
  })

  it('is a file with a line for each cell', async () => {
    const { status, text, headers } = await app.reader.get('/running/acme/csv?differs=true')
    expect(status).toBe(200)
    expect(headers['content-disposition']).toContain('acme-running.csv')
    const [head, ...lines] = text.trim().split('\n')
    expect(head).toBe(
      'artifact,environment,version,is_newest,versions,state,started_at,instances,artifact_name,fingerprint,flow,repositories',
    )
    expect(lines.map(line => line.split(',').slice(1, 6).join(' ')).toSorted()).toEqual([
      'prod 1 false 2 compliant',
      'stage 1 false 2 unknown',
      'test 2 true 2 unknown',
    ])
  })
})

describe('the name without the version', () => {
  const NAMES = [
    ...[
      'a',
      'a:1',
      'a:b:c',
      'host:5000/a',
      'host:5000/a:v1.2-rc_3',
      ':1',
      'a:',
      'a: 1',
      'a:é',
      'a:.1',
      'A:1 ',
    ],
    ...[
      `a:1@sha256:${'0'.repeat(64)}`,
      'a@sha256:x@sha256:y',
      '@sha256:',
      'a@sha512:0',
      'ü:1',
      'a:1:2@sha256:',
    ],
  ]
  it('is the same in the database as in the rules', async () => {
    await makeEnvironment(app, 'names')
    await app.sql(
      `insert into running_artifacts (org_id, environment_id, artifact_key, fingerprint, name, instance_count,
         instances, detail_hash, replaced, compliant, evaluation, flow_ids, repo_ids, was, is_run_ahead, is_verdict_ahead)
       select e.org_id, e.environment_id, 'name:' || n.name, '', n.name, 1, '[]', '', '[]', null, '{}', '{}', '{}', 1,
         false, false
       from environments e cross join unnest($1::text[]) as n(name) where e.name = 'names'`,
      [NAMES],
    )
    const { artifacts } = await read('?environment=names&per_page=50')
    const expected = [...new Set(NAMES.map(getBaseName))].toSorted()
    expect(artifacts.map(({ name }: Row) => name).toSorted()).toEqual(expected)
  })
})

describe('400', () => {
  it.each([
    ['per_page=51', 'query.per_page'],
    ['environment_per_page=101', 'query.environment_per_page'],
    ['state=green', 'query.state'],
    ['differs=maybe', 'query.differs'],
    ['sort=name', 'query.sort'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await app.reader.get(`/running/acme?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it.each(['', '/csv'])('for callers outside the organization: %s', async path => {
    expect((await app.outsider.get(`/running/acme${path}`)).status).toBe(403)
  })
})
