// GET /coverage-trends/{org}: how much ran at the end of each bucket, and how much of it was covered by what was
// known then.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { listStatements } from '../../../test/statement-log.ts'
import { WRONG_PERIODS } from '../../../test/wrong-periods.ts'

const DAY_S = 86_400
const NEVER_STALE = { expected_report_interval: null }

let app: TestApp
let start: number
const toTime = (days: number) => start + days * DAY_S
const wait = async (days: number) => {
  app.clock.advance(days * DAY_S * 1000)
  await app.evaluate()
}
const build = (name: string) =>
  app.member.post('/artifacts/acme/shop', makeBuild(makeFingerprint(name), nameTrail(name)))

// Day 1: prod, whose policy requires provenance, runs a, which was built, and b, which was not. Day 2: test, which has no
// policies, runs a and c. Day 3: c is built. Day 4: b exits, and a gets a second pod. Day 5: beta, which has the policy, runs
// a and falls silent; it is stale three hours later. Day 6: old, without policies, runs d, and is archived on day 7.
// Day 8: b is built and starts again. It is day 9.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  await makeFlow(app, 'shop')
  await build('a')
  await putPolicy(app, 'built', buildPolicyRequiring())
  for (const name of ['prod', 'test', 'old', 'empty']) await makeEnvironment(app, name, NEVER_STALE)
  await makeEnvironment(app, 'beta')
  await makeEnvironment(app, 'both', { type: 'logical', included_environments: ['prod', 'test'] })
  await attach(app, 'prod', 'built')
  await attach(app, 'beta', 'built')
  await wait(1)
  await report(app, 'prod', 'a', 'b')
  await wait(1)
  await report(app, 'test', 'a', 'c')
  await wait(1)
  await build('c')
  await wait(1)
  await report(app, 'prod', { start: 'a', pods: ['one', 'two'] })
  await wait(1)
  await report(app, 'beta', 'a')
  await wait(1)
  await report(app, 'old', 'd')
  await wait(1)
  await app.member.put('/environments/acme/old/archive')
  await wait(1)
  await build('b')
  await report(app, 'prod', 'a', 'b')
  await wait(1)
})
afterAll(() => app.stop())

/** Each bucket is a day, and ends in the middle of one. */
const get = (query = '', to = 9.5) =>
  app.reader.get(`/coverage-trends/acme?from=${toTime(-0.5)}&to=${toTime(to)}&buckets=${to + 0.5}&${query}`)

interface Bucket {
  environments: { compliant: number; non_compliant: number; stale: number; unknown: number } | null
  artifacts: {
    total: number
    compliant: number
    non_compliant: number
    unknown: number
    without_policy: number
    compliant_share: number | null
  } | null
  provenance: {
    with_provenance: number
    without_provenance: number
    unknown: number
    share: number | null
  } | null
}

const readArtifacts = ({ artifacts }: Bucket) =>
  artifacts && [
    artifacts.total,
    artifacts.compliant,
    artifacts.non_compliant,
    artifacts.unknown,
    artifacts.without_policy,
  ]
const readProvenance = ({ provenance }: Bucket) =>
  provenance && [provenance.with_provenance, provenance.without_provenance, provenance.unknown]
const readEnvironments = ({ environments }: Bucket) =>
  environments && [
    environments.compliant,
    environments.non_compliant,
    environments.stale,
    environments.unknown,
  ]

describe('200', () => {
  it('counts what ran with provenance, by what was recorded at the time', async () => {
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      from: toTime(-0.5),
      to: toTime(9.5),
      counted_since: toTime(-0.5),
      has_all_environments: true,
    })
    expect(body.buckets.map(readProvenance)).toEqual([
      null,
      [1, 1, 0],
      // c was built only on day 3.
      [2, 2, 0],
      [3, 1, 0],
      [3, 0, 0],
      // A flow knows the one in beta, but nobody knows whether it still runs.
      [3, 0, 1],
      [3, 1, 1],
      [3, 0, 1],
      // b counts from day 8, and not on the days on which it ran before it was built.
      [4, 0, 1],
      [4, 0, 1],
    ])
    expect(body.buckets[2].provenance.share).toBe(0.5)
    expect(body.buckets[5].provenance.share).toBe(0.75)
  })

  it('counts the verdicts of the time, and nothing unknown as compliant', async () => {
    const { buckets } = (await get()).body
    expect(buckets.map(readArtifacts)).toEqual([
      null,
      [2, 1, 1, 0, 0],
      [4, 1, 1, 0, 2],
      [4, 1, 1, 0, 2],
      [3, 1, 0, 0, 2],
      [4, 1, 0, 1, 2],
      [5, 1, 0, 1, 3],
      [4, 1, 0, 1, 2],
      [5, 2, 0, 1, 2],
      [5, 2, 0, 1, 2],
    ])
    expect(buckets[1].artifacts.compliant_share).toBe(0.5)
  })

  it('counts the environments in each state, each from its first report until it is archived', async () => {
    const { buckets } = (await get()).body
    expect(buckets.map(readEnvironments)).toEqual([
      null,
      [0, 1, 0, 0],
      [0, 1, 0, 1],
      [0, 1, 0, 1],
      [1, 0, 0, 1],
      [1, 0, 1, 1],
      [1, 0, 1, 2],
      [1, 0, 1, 1],
      [1, 0, 1, 1],
      [1, 0, 1, 1],
    ])
  })

  it('counts one environment, and the members of a logical one', async () => {
    const prod = (await get('env_name=prod')).body.buckets
    expect(prod.map(readProvenance)).toEqual([
      null,
      ...[1, 2, 3].map(() => [1, 1, 0]),
      ...[4, 5, 6, 7].map(() => [1, 0, 0]),
      ...[8, 9].map(() => [2, 0, 0]),
    ])
    const both = (await get('env_name=both')).body.buckets
    const test = (await get('env_name=test')).body.buckets
    expect(both.map((bucket: Bucket) => bucket.artifacts?.total ?? null)).toEqual(
      prod.map((bucket: Bucket, i: number) =>
        bucket.artifacts ? bucket.artifacts.total + (test[i].artifacts?.total ?? 0) : null,
      ),
    )
  })

  it('has the same figures for a time, wherever the period ends', async () => {
    const all = (await get()).body.buckets
    expect((await get('', 4.5)).body.buckets).toEqual(all.slice(0, 5))
  })

  it('has null for an environment that never reported, and for the time after now', async () => {
    const { buckets } = (await get('env_name=empty')).body
    expect(buckets.map(readArtifacts)).toEqual(Array.from({ length: 10 }, () => null))
    const future = (await get('', 12.5)).body.buckets
    expect(future.slice(0, 10)).toEqual((await get()).body.buckets)
    expect(future.slice(10).map(readEnvironments)).toEqual([null, null, null])
  })

  it('covers the last 30 days by default, in 30 buckets, of which the last one is now', async () => {
    const { body } = await app.reader.get('/coverage-trends/acme')
    expect(body.buckets).toHaveLength(30)
    expect(body.to - body.from).toBe(30 * DAY_S)
    expect(readProvenance(body.buckets.at(-1))).toEqual([4, 0, 1])
  })

  it('has no share if nothing ran', async () => {
    await makeEnvironment(app, 'idle', NEVER_STALE)
    await report(app, 'idle')
    const { buckets } = (await app.reader.get('/coverage-trends/acme?env_name=idle')).body
    expect(buckets.at(-1)).toMatchObject({
      artifacts: { total: 0, compliant_share: null },
      provenance: { with_provenance: 0, share: null },
    })
  })

  it('sends as many statements for any number of buckets', async () => {
    const few = await listStatements(app, () => get('env_name=prod', 0.5))
    expect(await listStatements(app, () => get('env_name=prod'))).toEqual(few)
  })
})

describe('200, of too much', () => {
  it('counts provenance since the oldest start that it examines, and reports that time', async () => {
    const before = (await get()).body.buckets
    await app.sql(`insert into deployments (org_id, deployment_id, environment_id, snapshot_index, artifact_key,
        fingerprint, artifact_name, is_primary, deployed_at)
      select d.org_id, gen_random_uuid(), d.environment_id, d.snapshot_index, d.artifact_key, repeat('9', 64),
        d.artifact_name, true, d.deployed_at
      from deployments d, generate_series(1, 20000) where d.fingerprint = '${makeFingerprint('c')}' and d.is_primary`)
    const { body } = await get()
    expect(body.counted_since).toBe(toTime(2))
    expect(body.buckets.map(readArtifacts)).toEqual(before.map(readArtifacts))
    expect(body.buckets.map(readProvenance)).toEqual([null, null, ...before.slice(2).map(readProvenance)])
    expect((await get('env_name=test')).body.counted_since).toBe(toTime(2))
    expect((await get('env_name=prod')).body.counted_since).toBe(toTime(-0.5))
  })

  it('counts the newest 500 environments, and says that these are not all', async () => {
    for (let i = 0; i < 500; i++) await makeEnvironment(app, `many-${i}`)
    expect((await get()).body.has_all_environments).toBe(true)
    await app.sql("update environments set latest_index = 1 where name like 'many-%'")
    expect((await get()).body.has_all_environments).toBe(false)
    expect((await get('env_name=prod')).body.has_all_environments).toBe(true)
  })
})

describe('400', () => {
  it.each(WRONG_PERIODS)('rejects %s', async (query, field, sentence) => {
    const { status, body } = await app.reader.get(`/coverage-trends/acme?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('403', () => {
  it('refuses everyone outside the organization', async () => {
    expect((await app.outsider.get('/coverage-trends/acme')).status).toBe(403)
  })
})

describe('404', () => {
  it('finds no environment that does not exist', async () => {
    const { status, body } = await get('env_name=nowhere')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nowhere' does not exist for organization 'acme'" })
  })
})
