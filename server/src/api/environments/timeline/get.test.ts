// GET /environments/{org}/{env_name}/timeline: every second in which a snapshot was in force counts in one bucket.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../../test/reports.ts'
import { listStatements, recordWaits } from '../../../../test/statement-log.ts'

const HOUR_S = 3_600
const advanceHours = (many: number) => app.clock.advance(many * HOUR_S * 1000)

let app: TestApp
/** 12:00 of the first day. */
let start: number

// prod: unknown from 12:00, non-compliant from 14:00 (the policy), compliant from 15:00 (only built artifacts run),
// non-compliant from 15:30, twice at the same time. It is 22:00. beta joins at 18:00.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  // Reported to two flows, but it starts only once.
  for (const flow of ['build', 'again']) {
    await makeFlow(app, flow)
    await app.member.post(`/artifacts/acme/${flow}`, makeBuild(makeFingerprint('a'), nameTrail('trail')))
  }
  await putPolicy(app, 'built', buildPolicyRequiring())
  for (const name of ['prod', 'beta', 'empty']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'beta'] })
  await report(app, 'prod', 'a', 'b')
  advanceHours(2)
  await attach(app, 'prod', 'built')
  advanceHours(1)
  await report(app, 'prod', 'a')
  advanceHours(0.5)
  await report(app, 'prod', 'a', 'c')
  await report(app, 'prod', 'a', 'd', 'e')
  advanceHours(2.5)
  await report(app, 'beta', 'a')
  advanceHours(4)
})
afterAll(() => app.stop())

const get = (query: Record<string, string | number> = {}, environment = 'prod') => {
  const params = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return app.reader.get(`/environments/acme/${environment}/timeline?${params.join('&')}`)
}

interface Bucket {
  from: number
  to: number
  compliant_seconds: number
  non_compliant_seconds: number
  unknown_seconds: number
  first_index: number | null
  last_index: number | null
  snapshots: number
  deployments: number
}

const toTime = (n: number) => start + n * HOUR_S
/** [hours compliant, non-compliant, unknown, first, last, snapshots, deployments] of each bucket. */
const summarize = ({ buckets }: { buckets: Bucket[] }) =>
  buckets.map(bucket => [
    bucket.compliant_seconds / HOUR_S,
    bucket.non_compliant_seconds / HOUR_S,
    bucket.unknown_seconds / HOUR_S,
    bucket.first_index,
    bucket.last_index,
    bucket.snapshots,
    bucket.deployments,
  ])

describe('200', () => {
  it('covers the time from the first snapshot to now', async () => {
    const { status, body } = await get({ buckets: 10 })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      environment_name: 'prod',
      from: start,
      to: toTime(10),
      total_snapshots: 5,
      latest_snapshot_index: 5,
    })
    expect(summarize(body)).toEqual([
      [0, 0, 1, 1, 1, 1, 2],
      [0, 0, 1, 1, 1, 0, 0],
      [0, 1, 0, 2, 2, 1, 0],
      [0.5, 0.5, 0, 3, 5, 3, 3],
      ...Array.from({ length: 6 }, () => [0, 1, 0, 5, 5, 0, 0]),
    ])
    expect(body.buckets.map(({ from, to }: Bucket) => [from, to])).toEqual(
      Array.from({ length: 10 }, (_, i) => [toTime(i), toTime(i + 1)]),
    )
  })

  it('has 120 buckets by default, and any number of buckets adds up to the same totals', async () => {
    expect((await get()).body.buckets).toHaveLength(120)
    for (const buckets of [11, 97, 120, 400]) {
      const { body } = await get({ buckets })
      const sumField = (field: keyof Bucket) =>
        body.buckets.reduce((sum: number, bucket: Bucket) => sum + Number(bucket[field]), 0)
      expect(body.buckets).toHaveLength(buckets)
      expect(sumField('unknown_seconds')).toBeCloseTo(2 * HOUR_S)
      expect(sumField('compliant_seconds')).toBeCloseTo(0.5 * HOUR_S)
      expect(sumField('non_compliant_seconds')).toBeCloseTo(7.5 * HOUR_S)
      expect(sumField('snapshots')).toBe(5)
      expect(sumField('deployments')).toBe(5)
      for (const { from, to, ...bucket } of body.buckets as Bucket[]) {
        expect(bucket.compliant_seconds + bucket.non_compliant_seconds + bucket.unknown_seconds).toBeCloseTo(
          to - from,
        )
      }
    }
  })

  it('has nothing before the first snapshot and nothing after now', async () => {
    const { body } = await get({ from: toTime(-5), to: toTime(15), buckets: 20 })
    const nothing = [0, 0, 0, null, null, 0, 0]
    expect(summarize(body).slice(0, 5)).toEqual(Array.from({ length: 5 }, () => nothing))
    expect(summarize(body)[5]).toEqual([0, 0, 1, 1, 1, 1, 2])
    expect(summarize(body)[14]).toEqual([0, 1, 0, 5, 5, 0, 0])
    expect(summarize(body).slice(15)).toEqual(Array.from({ length: 5 }, () => nothing))
  })

  it('shows snapshots that were in force before its start and after its end', async () => {
    const { body } = await get({ from: toTime(3.25), to: toTime(3.5) - 0.5, buckets: 10 })
    expect(body).toMatchObject({ total_snapshots: 0, latest_snapshot_index: 5 })
    expect(
      summarize(body).every(([compliant, , , first, last]) => compliant && first === 3 && last === 3),
    ).toBe(true)
    const early = (await get({ from: toTime(-9), to: toTime(-8), buckets: 10 })).body
    expect(early.buckets.every(({ first_index }: Bucket) => first_index === null)).toBe(true)
    const late = (await get({ from: toTime(8), to: toTime(9), buckets: 10 })).body
    expect(summarize(late).every(([, red, , first, last]) => red === 0.1 && first === 5 && last === 5)).toBe(
      true,
    )
  })

  it('includes events at its end', async () => {
    const { body } = await get({ from: toTime(0), to: toTime(2), buckets: 10 })
    expect(summarize(body).at(-1)).toEqual([0, 0, 0.2, 1, 2, 1, 0])
    expect(body.total_snapshots).toBe(2)
  })

  it('has no bucket shorter than a second', async () => {
    const { body } = await get({ from: toTime(1), to: toTime(1) + 12.5, buckets: 40 })
    expect(body.buckets).toHaveLength(12)
    expect((await get({ from: toTime(1), to: toTime(1) })).body.buckets).toHaveLength(1)
  })

  it('is empty for an environment without snapshots', async () => {
    const { status, body } = await get({}, 'empty')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      from: toTime(10),
      to: toTime(10),
      total_snapshots: 0,
      latest_snapshot_index: 0,
    })
    expect(summarize(body)).toEqual([[0, 0, 0, null, null, 0, 0]])
  })

  it('shows the snapshots of a logical environment and the deployments to its members', async () => {
    const { body } = await get({ buckets: 10 }, 'all')
    expect(body).toMatchObject({ environment_name: 'all', total_snapshots: 6, latest_snapshot_index: 6 })
    expect(summarize(body)).toEqual([
      [0, 0, 1, 1, 1, 1, 2],
      [0, 0, 1, 1, 1, 0, 0],
      [0, 1, 0, 2, 2, 1, 0],
      // The other member has reported nothing yet.
      [0, 0.5, 0.5, 3, 5, 3, 3],
      [0, 1, 0, 5, 5, 0, 0],
      [0, 1, 0, 5, 5, 0, 0],
      [0, 1, 0, 6, 6, 1, 1],
      ...Array.from({ length: 3 }, () => [0, 1, 0, 6, 6, 0, 0]),
    ])
  })

  it('makes the same number of database round trips for any number of buckets', async () => {
    const recordWaitsFor = (buckets: number) => recordWaits(app, () => get({ buckets }))
    await recordWaitsFor(10)
    const few = await recordWaitsFor(10)
    expect(await recordWaitsFor(400)).toEqual(few)
    // Begin, environment, first snapshot, buckets and commit.
    expect((await listStatements(app, () => get({ buckets: 400 }))).length).toBeLessThanOrEqual(6)
  })
})

describe('400', () => {
  it.each([
    ['from', 'yesterday'],
    ['from', '-1'],
    ['to', '1e99'],
    ['to', '2026-03-03'],
    ['buckets', '9'],
    ['buckets', '401'],
    ['buckets', '12.5'],
    ['page', '1'],
  ])('refuses %s=%s', async (parameter, value) => {
    const { status, body } = await get({ [parameter]: value })
    expect({ status, fields: Object.keys(body.errors) }).toEqual({
      status: 400,
      fields: [`query.${parameter}`],
    })
  })

  it('refuses a period that ends before it begins', async () => {
    const { status, body } = await get({ from: toTime(2), to: toTime(1) })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ 'query.from': 'The period should begin before it ends' })
  })
})

describe('404', () => {
  it('refuses a missing or archived environment', async () => {
    expect(await get({}, 'nowhere')).toMatchObject({
      status: 404,
      body: { message: "Environment named 'nowhere' does not exist for organization 'acme'" },
    })
    await makeEnvironment(app, 'gone')
    await app.member.put('/environments/acme/gone/archive')
    expect(await get({}, 'gone')).toMatchObject({
      status: 404,
      body: { message: "Environment named 'gone' has been archived for organization 'acme'" },
    })
  })
})
