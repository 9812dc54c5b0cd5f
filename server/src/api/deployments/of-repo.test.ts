import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report, STARTED_AT } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const DAY_S = 86_400
let app: TestApp
let began: number
let id: string
beforeAll(async () => {
  app = await startTestApp()
  began = app.clock.now().getTime() / 1000
  await makeFlow(app, 'build')
  await reportBuild('a', 'acme/backend')
  await reportBuild('b', 'acme/backend')
  await reportBuild('c', 'acme/deployments')
  for (const name of ['prod', 'stage', 'gone']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  for (const [environment, ...running] of [
    ['prod', 'a'],
    ['stage', 'c'],
    ['prod', 'a', 'b'],
    ['stage', 'b', 'c'],
  ] as const) {
    await report(app, environment, ...running)
    app.clock.advance(DAY_S * 1000)
  }
  await app.member.put('/environments/acme/gone/archive')
  id = (await app.reader.get('/repos/acme/acme/backend')).body.id
})
afterAll(() => app.stop())

async function reportBuild(start: string, name: string): Promise<void> {
  await app.member.post(
    '/artifacts/acme/build',
    makeBuild(makeFingerprint(start), {
      ...nameTrail(`trail-${start}`),
      git_commit: SHA,
      git_commit_info: start === 'b' ? undefined : { sha1: SHA, timestamp: STARTED_AT - 60 },
      repo_info: { id: name, name, url: `https://git.example.com/${name}` },
    }),
  )
}

const list = (query = '', repo = id) => app.reader.get(`/repos/acme/${repo}/deployments${query}`)
const read = (query = '', repo = id) => app.reader.get(`/repos/acme/${repo}/deployment-statistics${query}`)
const listShort = async (query = '') =>
  (await list(query)).body.deployments.map(
    (one: { environment_name: string; artifact_fingerprint: string }) =>
      `${one.environment_name} ${one.artifact_fingerprint[0]}`,
  )

describe('200', () => {
  it.each([
    ['', ['stage b', 'prod b', 'prod a']],
    ['?env=prod', ['prod b', 'prod a']],
    ['?env=prod&env=stage', ['stage b', 'prod b', 'prod a']],
    ['?env=all&env=prod', ['stage b', 'prod b', 'prod a']],
    ['?page=2&per_page=2', ['prod a']],
  ])('lists the deployments of the repository, newest first: %s', async (query, expected) => {
    expect(await listShort(query)).toEqual(expected)
  })

  it('has each deployment as in the list of all', async () => {
    const { body } = await list()
    expect(body).toMatchObject({ page: 1, per_page: 15, total_pages: 1, total_count: 3 })
    const { deployments } = (await app.reader.get('/deployments/acme?repo_name=acme/backend')).body
    expect(body.deployments).toEqual(deployments)
  })

  it('bounds the period', async () => {
    expect(await listShort(`?start_ts=${began + DAY_S}&end_ts=${began + 2 * DAY_S}`)).toEqual(['prod b'])
  })

  it('has a series for each environment, oldest first', async () => {
    const { status, body } = await read()
    expect(status).toBe(200)
    const end_ts = app.clock.now().getTime() / 1000
    expect(body).toEqual({
      start_ts: end_ts - 28 * DAY_S,
      end_ts,
      environments: [
        { environment_name: 'prod', deployed_at: [began, began + 2 * DAY_S], lead_time_seconds: [60, null] },
        { environment_name: 'stage', deployed_at: [began + 3 * DAY_S], lead_time_seconds: [null] },
      ],
    })
    const only = (await read(`?env=stage&start_ts=${began}`)).body
    expect(only.environments).toEqual([body.environments[1]])
    expect((await read('?end_ts=1')).body.environments).toEqual([])
  })

  it('leaves a repository whose name ends like these paths readable', async () => {
    expect((await app.reader.get('/repos/acme/acme/deployments')).body).toMatchObject({
      name: 'acme/deployments',
    })
  })

  it('waits for the database equally often, however many environments are named', async () => {
    await list()
    for (const ask of [list, read]) {
      const one = await recordWaits(app, () => ask('?env=prod'))
      expect(await recordWaits(app, () => ask('?env=prod&env=stage&env=all'))).toHaveLength(one.length)
    }
  })
})

describe('400', () => {
  it.each([
    ['?start_ts=2&end_ts=1', 'query.start_ts'],
    ['?repo_name=x', 'query.repo_name'],
  ])('refuses %s', async (query, field) => {
    for (const { status, body } of [await list(query), await read(query)])
      expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  it('refuses statistics of too long a period, and a page of too many', async () => {
    expect((await read('?start_ts=0')).body.errors).toHaveProperty(['query.start_ts'])
    expect((await list('?per_page=51')).body.errors).toHaveProperty(['query.per_page'])
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`/repos/acme/${id}/deployments`)).status).toBe(403)
    expect((await app.outsider.get(`/repos/acme/${id}/deployment-statistics`)).status).toBe(403)
  })
})

describe('404', () => {
  it('names the repository and the environment', async () => {
    const unknown = '018f0000-0000-7000-8000-00000001'
    for (const ask of [list, read]) {
      expect((await ask('', unknown)).body).toEqual({ message: `Repo '${unknown}' not found` })
      expect((await ask('', 'nobody')).status).toBe(404)
      expect((await ask('?env=prod&env=nowhere')).body.message).toContain("Environment named 'nowhere'")
      expect((await ask('?env=gone')).body.message).toContain('has been archived')
    }
  })
})
