import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildImageName, makeEnvironment, report, STARTED_AT } from '../../../test/environments.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, WIRE_ID } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const DAY_MS = 86_400_000
const OLD = '1'.repeat(40)
const NEW = '2'.repeat(40)
const buildCommitUrl = (sha: string) => `https://git.example.com/acme/backend/commit/${sha}`

let app: TestApp
let began: number
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  await makeFlow(app, 'promote')
  await reportBuild('a', OLD)
  await reportBuild('b', NEW)
  await app.member.post(
    '/artifacts/acme/promote',
    makeBuild(makeFingerprint('b'), nameTrail('up', 'release')),
  )
  for (const name of ['prod', 'stage']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await report(app, 'prod', 'a')
  app.clock.advance(DAY_MS)
  await report(app, 'stage', 'd')
  app.clock.advance(DAY_MS)
  await report(app, 'prod', 'b')
  app.clock.advance(DAY_MS)
  await report(app, 'prod', 'a', 'b')
})
afterAll(() => app.stop())

async function reportBuild(start: string, sha1: string): Promise<void> {
  const repo = { id: '1', name: 'acme/backend', url: 'https://git.example.com/acme/backend' }
  const git_commit_info = { sha1, timestamp: STARTED_AT - 90.5 }
  const places = { git_commit: sha1, commit_url: buildCommitUrl(sha1), git_commit_info, repo_info: repo }
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint(start), { ...nameTrail(`trail-${start}`), ...places }),
  )
}

const list = (query = '') => app.reader.get(`/deployments/acme${query}`)

interface Shown {
  environment_name: string
  snapshot_index: number
  artifact_fingerprint: string
  flow_name: string | null
}
const summarize = (one: Shown) =>
  `${one.environment_name}#${one.snapshot_index} ${one.artifact_fingerprint[0]} ${one.flow_name}`
const listShort = async (query = '') => (await list(query)).body.deployments.map(summarize)

const ALL = ['prod#3 a build', 'prod#2 b build', 'stage#1 d null', 'prod#1 a build']

describe('200', () => {
  it('lists deployments, newest first, each once', async () => {
    expect(await listShort()).toEqual(ALL)
  })

  it('returns every field, including the replaced artifact', async () => {
    const { body } = await list()
    expect(body.deployments[1]).toEqual({
      id: expect.stringMatching(WIRE_ID),
      environment_name: 'prod',
      snapshot_index: 2,
      artifact_fingerprint: makeFingerprint('b'),
      artifact_name: buildImageName('b'),
      flow_name: 'build',
      trail_name: 'trail-b',
      template_reference_name: 'image',
      git_commit: NEW,
      commit_url: buildCommitUrl(NEW),
      repo_name: 'acme/backend',
      deployed_at: began + 2 * 86_400,
      lead_time_seconds: 90.5,
      replaced: {
        artifact_fingerprint: makeFingerprint('a'),
        artifact_name: buildImageName('a'),
        git_commit: OLD,
        commit_url: buildCommitUrl(OLD),
        trail_name: 'trail-a',
        diff_url: `https://git.example.com/acme/backend/compare/${OLD}...${NEW}`,
      },
      is_running: true,
      html_url: `${BASE_URL}/acme/environments/prod/snapshots/2`,
    })
    expect(body.deployments[2]).toMatchObject({
      flow_name: null,
      trail_name: null,
      template_reference_name: null,
      git_commit: null,
      commit_url: null,
      repo_name: null,
      lead_time_seconds: null,
      replaced: null,
      is_running: true,
    })
  })

  it('marks only the latest start of an artifact as running', async () => {
    const { body } = await list()
    const running = body.deployments.map((one: { is_running: boolean }) => one.is_running)
    expect(running).toEqual([true, true, true, false])
  })

  it('pages with links', async () => {
    const { deployments, ...page } = (await list('?page=2&per_page=3')).body
    expect(deployments.map(summarize)).toEqual(ALL.slice(3))
    const address = `${BASE_URL}/api/v2/deployments/acme?page=`
    expect(page).toEqual({
      page: 2,
      per_page: 3,
      total_pages: 2,
      total_count: 4,
      _links: {
        self: { href: `${address}2&per_page=3` },
        first: { href: `${address}1&per_page=3` },
        prev: { href: `${address}1&per_page=3` },
        last: { href: `${address}2&per_page=3` },
      },
    })
    const past = await list('?page=9')
    expect([past.status, past.body.deployments, past.body.total_count]).toEqual([200, [], 4])
  })

  it.each([
    ['env_name=prod', ['prod#3 a build', 'prod#2 b build', 'prod#1 a build']],
    ['env_name=stage', ['stage#1 d null']],
    ['env_name=all', ALL],
    ['env_name=all&page=2&per_page=2', ALL.slice(2)],
    ['flow_name=build', ['prod#3 a build', 'prod#2 b build', 'prod#1 a build']],
    ['flow_name=promote', ['prod#2 b promote']],
    ['flow_name=promote&env_name=stage', []],
    ['flow_name=promote&env_name=all', ['prod#2 b promote']],
    ['repo_name=acme/backend', ['prod#3 a build', 'prod#2 b build', 'prod#1 a build']],
    ['repo_name=acme/backend&env_name=stage', []],
    ['repo_name=acme/backend&flow_name=build&page=2&per_page=2', ['prod#1 a build']],
  ])('filters: %s', async (query, expected) => {
    expect(await listShort(`?${query}`)).toEqual(expected)
  })

  it('filters by time, both ends included, and shows 28 days by default', async () => {
    const toTime = (days: number) => began + days * 86_400
    expect(await listShort(`?start_ts=${toTime(1)}&end_ts=${toTime(2)}`)).toEqual(ALL.slice(1, 3))
    expect(await listShort(`?start_ts=${toTime(2.5)}`)).toEqual(ALL.slice(0, 1))
    expect(await listShort(`?end_ts=${toTime(29)}`)).toEqual(ALL.slice(0, 3))
    expect(await listShort(`?end_ts=${toTime(28)}`)).toEqual(ALL)
    expect((await list(`?end_ts=${toTime(29)}`)).body.total_count).toBe(3)
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    await list()
    expect(await recordWaits(app, () => list('?per_page=1'))).toHaveLength(2)
    expect(await recordWaits(app, () => list())).toHaveLength(2)
  })

  it('is empty for an organization without deployments', async () => {
    const { body } = await app.outsider.get('/deployments/other-corp')
    expect(body).toMatchObject({ deployments: [], total_count: 0, total_pages: 0 })
  })
})

describe('400', () => {
  it.each(['start_ts=', 'end_ts=noon', 'per_page=51', 'flow_name=', 'since=1'])('rejects %s', async query => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([`query.${query.split('=')[0]}`])
  })

  it('rejects a period that ends before it begins', async () => {
    const { status, body } = await list('?start_ts=20&end_ts=10')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ 'query.start_ts': 'The period should begin before it ends' })
  })
})

describe('404', () => {
  it.each([
    ['env_name=nowhere', "Environment named 'nowhere' does not exist for organization 'acme'"],
    ['flow_name=nowhere', "Flow named 'nowhere' does not exist for organization 'acme'"],
    ['repo_name=acme/nowhere', "Repo 'acme/nowhere' not found"],
    ['repo_name=', "Repo '' not found"],
  ])('finds nothing for %s', async (query, message) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
