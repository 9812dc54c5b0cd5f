// GET /deployment-trends/{org}: what counts as a deployment, a lead time and a failure.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
  STARTED_AT,
} from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { WRONG_PERIODS } from '../../../../test/wrong-periods.ts'

const DAY_S = 86_400
const LEADS: Record<string, number> = { a: 10, b: 20, c: 60 }

let app: TestApp
let start: number
const wait = (days: number) => app.clock.advance(days * DAY_S * 1000)
const build = (flow: string, fingerprint: string, lead?: number) =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(fingerprint), {
      ...nameTrail(fingerprint),
      ...(lead !== undefined && { git_commit_info: { sha1: '1'.repeat(40), timestamp: STARTED_AT - lead } }),
    }),
  )

// shop builds a, b, c and e, of which e has no commit time; other builds f. prod has a policy that requires provenance, test
// has none. In prod: a, then b, then a again (b is rolled back), then c, then d, which nobody built. test runs e, then f.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  for (const flow of ['shop', 'other', 'idle']) await makeFlow(app, flow)
  for (const [name, lead] of Object.entries(LEADS)) await build('shop', name, lead)
  await build('shop', 'e')
  await build('other', 'f', 30)
  await putPolicy(app, 'built', buildPolicyRequiring())
  for (const name of ['prod', 'test']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'test'] })
  await attach(app, 'prod', 'built')
  for (const running of ['a', 'b', 'a', 'c', 'd']) {
    await report(app, 'prod', running)
    wait(1)
  }
  await report(app, 'test', 'e')
  await report(app, 'test', 'f')
  wait(1)
})
afterAll(() => app.stop())

const get = (query = '') =>
  app.reader.get(`/deployment-trends/acme?from=${start}&to=${start + 6 * DAY_S}&buckets=6&${query}`)

describe('200', () => {
  it('counts deployments, lead times and failures of the organization', async () => {
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body).toMatchObject({ from: start, to: start + 6 * DAY_S, counted_since: start })
    expect(body.total).toEqual({
      deployments: 7,
      // The lead times of a, b, a, c and f; d was not built here, and e has no commit time.
      lead_times: 5,
      lead_time_p50: 20,
      lead_time_p90: expect.closeTo(48, 6),
      non_compliant: 1,
      rolled_back: 1,
      failed: 2,
      // The two in test, which has no policies.
      unknown: 2,
      change_failure_rate: 0.4,
    })
  })

  it('divides them into buckets that add up, and has null for what is not known', async () => {
    const { buckets, total } = (await get()).body
    expect(buckets).toHaveLength(6)
    expect(buckets.map(({ deployments }: { deployments: number }) => deployments)).toEqual([1, 1, 1, 1, 1, 2])
    expect(buckets.map(({ failed }: { failed: number }) => failed)).toEqual([0, 1, 0, 0, 1, 0])
    expect(buckets[1]).toMatchObject({ rolled_back: 1, non_compliant: 0, change_failure_rate: 1 })
    expect(buckets[4]).toMatchObject({ lead_times: 0, lead_time_p50: null, lead_time_p90: null })
    expect(buckets[5]).toMatchObject({ unknown: 2, failed: 0, change_failure_rate: null })
    const sum = (field: string) =>
      buckets.reduce((all: number, bucket: Record<string, number>) => all + (bucket[field] ?? 0), 0)
    for (const field of ['deployments', 'lead_times', 'non_compliant', 'rolled_back', 'failed', 'unknown'])
      expect([field, sum(field)]).toEqual([field, total[field]])
  })

  it('counts the deployments of one flow, of one environment, and of the members of a logical one', async () => {
    expect((await get('flow_name=shop')).body.total).toMatchObject({ deployments: 5, failed: 1, unknown: 1 })
    expect((await get('flow_name=shop&env_name=prod')).body.total).toMatchObject({
      deployments: 4,
      change_failure_rate: 0.25,
    })
    expect((await get('env_name=test')).body.total).toMatchObject({
      deployments: 2,
      lead_times: 1,
      change_failure_rate: null,
    })
    expect((await get('env_name=all')).body).toEqual((await get()).body)
  })

  it('has zero deployments but no rate and no lead time if nothing was deployed', async () => {
    expect((await get('flow_name=idle')).body.total).toMatchObject({
      deployments: 0,
      lead_times: 0,
      lead_time_p50: null,
      change_failure_rate: null,
    })
  })

  it('covers the last 30 days by default, in 30 buckets', async () => {
    const { body } = await app.reader.get('/deployment-trends/acme')
    expect(body.buckets).toHaveLength(30)
    expect(body.to - body.from).toBe(30 * DAY_S)
    expect(body.total.deployments).toBe(7)
  })
})

describe('200, an artifact that is restarted', () => {
  it('is no rollback, and neither is one that replaces another for the first time', async () => {
    await makeEnvironment(app, 'stage')
    for (const running of ['a', 'b', 'b']) {
      await report(app, 'stage', running)
      wait(1)
      await report(app, 'stage')
      wait(1)
    }
    const { body } = await app.reader.get('/deployment-trends/acme?env_name=stage')
    expect(body.total).toMatchObject({ deployments: 3, rolled_back: 0 })
  })
})

describe('400', () => {
  it.each(WRONG_PERIODS)('rejects %s', async (query, field, sentence) => {
    const { status, body } = await app.reader.get(`/deployment-trends/acme?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('404', () => {
  it.each([
    ['flow_name=nowhere', "Flow named 'nowhere' does not exist for organization 'acme'"],
    ['env_name=nowhere', "Environment named 'nowhere' does not exist for organization 'acme'"],
  ])('finds nothing for %s', async (query, message) => {
    const { status, body } = await get(query)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
