import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { recordWaits } from '../../../../test/statement-log.ts'

const HOUR_MS = 3_600_000
const OLD = '1'.repeat(40)
const NEW = '2'.repeat(40)
const buildCommitUrl = (sha: string) => `https://git.example.com/acme/backend/commit/${sha}`

let app: TestApp
/** Epoch seconds of the first snapshot of `prod`. */
let began: number
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  await makeFlow(app, 'scan')
  await reportBuild('a', OLD, 'acme/backend')
  await reportBuild('b', NEW, 'acme/backend')
  await reportBuild('c', NEW, 'acme/other')
  await app.member.post('/artifacts/acme/scan', makeBuild(makeFingerprint('b'), nameTrail('t')))
  for (const name of ['prod', 'stage', 'quiet']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await makeEnvironment(app, 'gone')
  await app.member.put('/environments/acme/gone/archive', null)
  await report(app, 'prod', { start: 'a', pods: ['one', 'two'] })
  app.clock.advance(HOUR_MS)
  await report(app, 'prod', 'b', 'd')
  app.clock.advance(HOUR_MS)
  await report(app, 'stage', 'c')
  app.clock.advance(HOUR_MS)
  await putPolicy(app, 'strict', buildPolicyRequiring())
  await attach(app, 'prod', 'strict')
  await app.evaluate()
})
afterAll(() => app.stop())

async function reportBuild(start: string, git_commit: string, repo: string): Promise<void> {
  const repo_info = { id: repo, name: repo, url: `https://git.example.com/${repo}`, provider: 'github' }
  const commit_url = buildCommitUrl(git_commit)
  const body = makeBuild(makeFingerprint(start), {
    ...nameTrail(`trail-${start}`),
    git_commit,
    commit_url,
    repo_info,
  })
  expect((await app.member.post('/artifacts/acme/build', body)).status).toBe(201)
}

const listEvents = (query = '', environment = 'prod') =>
  app.reader.get(`/environments/acme/${environment}/events${query}`)

interface Shown {
  environment_name: string
  snapshot_index: number
  sha256: string
  type: string
}
const summarize = ({ snapshot_index, sha256, type }: Shown) => `${snapshot_index} ${sha256[0]} ${type}`
const listShort = async (query = '', environment = 'prod') =>
  (await listEvents(query, environment)).body.map(summarize)

const ALL = [
  '3 d became-non-compliant',
  '3 b became-compliant',
  '2 d started-unknown',
  '2 b started-unknown',
  '2 a exited',
  '1 a started-unknown',
]

describe('200', () => {
  it('lists events newest first, or oldest first when asked', async () => {
    expect(await listShort()).toEqual(ALL)
    expect(await listShort('?reverse=false')).toEqual(ALL)
    expect(await listShort('?reverse=true')).toEqual(ALL.toReversed())
  })

  it('returns every field of an event, with links and the code diff', async () => {
    const { status, body } = await listEvents('?interval=2&reverse=true')
    expect(status).toBe(200)
    const page = `${BASE_URL}/acme/environments/prod/snapshots/2`
    expect(body[1]).toEqual({
      environment_name: 'prod',
      snapshot_index: 2,
      artifact_name: buildImageName('b'),
      sha256: makeFingerprint('b'),
      description: '1 instance started running (from 0 to 1)',
      reported_at: began + 3600,
      pipeline: 'build',
      deployments: [],
      flows: [
        { flow_name: 'build', deployments: null },
        { flow_name: 'scan', deployments: null },
      ],
      artifact_compliance: null,
      snapshot_compliance: null,
      type: 'started-unknown',
      was: 0,
      now: 1,
      code_diff: `https://git.example.com/acme/backend/compare/${OLD}...${NEW}`,
      _links: {
        artifact: {
          self: `${BASE_URL}/api/v2/artifacts/acme/build/fingerprint/${makeFingerprint('b')}`,
          html: `${BASE_URL}/acme/flows/build/artifacts/${makeFingerprint('b')}`,
        },
        snapshot: { self: `${BASE_URL}/api/v2/snapshots/acme/prod/2`, html: page },
      },
    })
    expect(body[0]).toMatchObject({
      description: '2 instances stopped running (from 2 to 0)',
      was: 2,
      now: 0,
    })
    expect(body[2]).toMatchObject({
      sha256: makeFingerprint('d'),
      pipeline: '',
      flows: [],
      code_diff: null,
      _links: { artifact: { self: null, html: null } },
    })
  })

  it('returns the compliance of the artifact and of the snapshot', async () => {
    expect((await listEvents('?interval=NOW')).body).toMatchObject([
      { artifact_compliance: false, snapshot_compliance: false },
      { artifact_compliance: true, snapshot_compliance: false },
    ])
  })

  it('returns the total count and page links in headers', async () => {
    const { body, headers } = await listEvents('?page=2&per_page=2&interval=&reverse=false')
    expect(body.map(summarize)).toEqual(ALL.slice(2, 4))
    const address = `${BASE_URL}/api/v2/environments/acme/prod/events?page=`
    const rest = '&per_page=2&interval=&reverse=false'
    expect(headers).toMatchObject({
      'x-total-count': '6',
      'x-per-page': '2',
      'x-current-page': '2',
      'x-total-pages': '3',
      link: [
        `<${address}1${rest}>; rel="first"`,
        `<${address}1${rest}>; rel="prev"`,
        `<${address}3${rest}>; rel="next"`,
        `<${address}3${rest}>; rel="last"`,
      ].join(', '),
    })
    const past = await listEvents('?page=9&per_page=5')
    expect([past.status, past.body, past.headers['x-total-count']]).toEqual([200, [], '6'])
    expect((await listEvents()).headers).toMatchObject({ 'x-per-page': '15', 'x-total-pages': '1' })
  })

  it.each([
    ['interval=1..2', [2, 2, 2, 1]],
    ['interval=2..1', [2, 2, 2, 1]],
    ['interval=~1..', [3, 3, 2, 2, 2]],
    ['interval=-3', [1]],
    ['interval=7..9', []],
    ['start=2', [3, 3, 2, 2, 2]],
    ['end=2', [2, 2, 2, 1]],
    ['start=2&end=2', [2, 2, 2]],
    ['start=-1&end=NOW', [3, 3]],
    ['start=1h', [3, 3]],
    ['start=2hours', [3, 3, 2, 2, 2]],
    ['end=30mins', [2, 2, 2, 1]],
    ['end=@{4.hours.ago}', []],
    ['interval=2&start=1h', []],
  ])('selects by snapshots: %s', async (query, indexes) => {
    const { body } = await listEvents(`?${query.replaceAll('{', '%7B').replaceAll('}', '%7D')}`)
    expect(body.map(({ snapshot_index }: Shown) => snapshot_index)).toEqual(indexes)
  })

  it.each([
    [(at: number) => `start_ts=${at + 3600}`, [3, 3, 2, 2, 2]],
    [(at: number) => `start_ts=${at + 3600.5}`, [3, 3]],
    [(at: number) => `from=${at}&to=${at}`, [1]],
    [(at: number) => `end_ts=${at + 3599}`, [1]],
    [(at: number) => `start_ts=${at}&from=${at + 3600}&to=${at + 3600}&end_ts=${at + 9999}`, [2, 2, 2]],
  ])('selects by time: %s', async (query, indexes) => {
    const { body, headers } = await listEvents(`?${query(began)}`)
    expect(body.map(({ snapshot_index }: Shown) => snapshot_index)).toEqual(indexes)
    expect(headers['x-total-count']).toBe(String(indexes.length))
  })

  it('selects by repositories', async () => {
    const ofBackend = ['3 b became-compliant', '2 b started-unknown', '2 a exited', '1 a started-unknown']
    expect(await listShort('?repo_name=acme/backend')).toEqual(ofBackend)
    expect(await listShort('?repo_name=acme/backend&repo_name=acme/other')).toEqual(ofBackend)
    expect(await listShort('?repo_name=acme/other')).toEqual([])
  })

  it('lists the events of the members of a logical environment', async () => {
    const { body, headers } = await listEvents('', 'all')
    expect(body.map((event: Shown) => `${event.environment_name} ${summarize(event)}`)).toEqual([
      'prod 3 d became-non-compliant',
      'prod 3 b became-compliant',
      'stage 1 c started-unknown',
      'prod 2 d started-unknown',
      'prod 2 b started-unknown',
      'prod 2 a exited',
      'prod 1 a started-unknown',
    ])
    expect(headers['x-total-count']).toBe('7')
    expect(body[2]._links.snapshot.self).toBe(`${BASE_URL}/api/v2/snapshots/acme/stage/1`)
    expect(await listShort('?interval=3', 'all')).toEqual(['1 c started-unknown'])
    expect(await listShort('?interval=2..3&reverse=true', 'all')).toEqual([
      ...ALL.slice(2, 5).toReversed(),
      '1 c started-unknown',
    ])
    expect(await listShort('?page=2&per_page=3', 'all')).toEqual(ALL.slice(2, 5))
  })

  it('is empty for an environment without reports', async () => {
    const { status, body, headers } = await listEvents('', 'quiet')
    expect([status, body, headers['x-total-pages']]).toEqual([200, [], '0'])
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    await listEvents()
    expect(await recordWaits(app, () => listEvents('?per_page=1'))).toHaveLength(3)
    expect(await recordWaits(app, () => listEvents('?per_page=1000'))).toHaveLength(3)
  })
})

describe('400', () => {
  it.each([
    ['start=', ''],
    ['end=', ''],
    ['start=soon', 'soon'],
    ['end=0', '0'],
    ['interval=x..y', 'x..y'],
  ])('refuses %s', async (query, text) => {
    const { status, body } = await listEvents(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: `Invalid interval value: ${text}` })
  })

  it.each([
    ['start=3&end=1', 'start'],
    ['start=-1&end=-2', 'start'],
    ['start=~1&end=~2', 'start'],
    ['start=1h&end=2h', 'start'],
    ['start_ts=2&to=1', 'start_ts'],
    ['from=2&end_ts=1', 'from'],
  ])('refuses %s, which ends before it begins', async (query, field) => {
    const { status, body } = await listEvents(`?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: 'The period should begin before it ends' })
  })

  it.each(['start_ts', 'end_ts', 'from', 'to'])('refuses a %s that is not a time', async name => {
    for (const text of ['', 'noon', '-1', '1e300', 'Infinity']) {
      const { status, body } = await listEvents(`?${name}=${text}`)
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual([`query.${name}`])
    }
  })

  it.each(['page=0', 'per_page=1001', 'reverse=', 'event_type=started'])('refuses %s', async query => {
    const { status, body } = await listEvents(`?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([`query.${query.split('=')[0]}`])
  })
})

describe('404', () => {
  it.each(['', 'acme/nowhere'])('refuses the unknown repository %j', async name => {
    const { status, body } = await listEvents(`?repo_name=acme/backend&repo_name=${name}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Repo '${name}' not found` })
  })

  it('refuses unknown and archived environments', async () => {
    const unknown = await listEvents('', 'nowhere')
    expect(unknown.status).toBe(404)
    expect(unknown.body.message).toBe("Environment named 'nowhere' does not exist for organization 'acme'")
    const archived = await listEvents('', 'gone')
    expect(archived.status).toBe(404)
    expect(archived.body.message).toBe("Environment named 'gone' has been archived for organization 'acme'")
  })
})
