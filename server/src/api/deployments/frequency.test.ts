import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report, STARTED_AT } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { setTimeZoneFarFromUtc } from '../../../test/time-zone.ts'

setTimeZoneFarFromUtc()

const DAY_MS = 86_400_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await makeFlow(app, 'promote')
  const leads: [string, number][] = [
    ['a', 10],
    ['b', 20],
    ['c', 40],
  ]
  for (const [start, lead] of leads) {
    const git_commit_info = { sha1: '1'.repeat(40), timestamp: STARTED_AT - lead }
    await app.member.post(
      '/artifacts/acme/build',
      makeBuild(makeFingerprint(start), { ...nameTrail(start), git_commit_info }),
    )
  }
  await app.member.post('/artifacts/acme/promote', makeBuild(makeFingerprint('b'), nameTrail('b')))
  for (const name of ['prod', 'stage']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await report(app, 'prod', 'a', 'b')
  await report(app, 'stage', 'a')
  app.clock.advance(2 * DAY_MS)
  await report(app, 'prod', 'c', 'd')
})
afterAll(() => app.stop())

const getFrequency = (query = '', environment = 'prod') =>
  app.reader.get(`/environments/acme/${environment}/deployment_frequency${query}`)

describe('200', () => {
  it('counts every day of the period, with its median and the lead times', async () => {
    const { status, body } = await getFrequency('?from=2026-03-02T12:00:00Z&to=2026-03-06')
    expect(status).toBe(200)
    expect(body).toEqual({
      from: Date.UTC(2026, 2, 2, 12) / 1000,
      to: Date.UTC(2026, 2, 6) / 1000,
      total: 4,
      per_day: [
        { date: '2026-03-02', count: 0 },
        { date: '2026-03-03', count: 2 },
        { date: '2026-03-04', count: 0 },
        { date: '2026-03-05', count: 2 },
        { date: '2026-03-06', count: 0 },
      ],
      median_per_day: 0,
      lead_time: { p50: 20, p90: 36, p99: expect.closeTo(39.6, 6) },
    })
  })

  it('counts the last 30 days by default', async () => {
    const { body } = await getFrequency()
    expect(body.per_day).toHaveLength(31)
    expect(body.per_day.at(-1)).toEqual({ date: '2026-03-05', count: 2 })
    expect(body.total).toBe(4)
  })

  it('counts the deployments of one flow, by name or id, even if another flow built the artifact first', async () => {
    const { body } = await getFrequency('?flow_name=build&from=2026-03-03')
    expect(body).toMatchObject({ total: 3, median_per_day: 1 })
    const promoted = (await getFrequency('?flow_name=promote&from=2026-03-03')).body
    expect(promoted).toMatchObject({ total: 1, per_day: [{ count: 1 }, { count: 0 }, { count: 0 }] })
    const { id } = (await app.reader.get('/flows/acme/build')).body
    expect((await getFrequency(`?flow_id=${id}&from=2026-03-03`)).body).toEqual(body)
  })

  it('counts the members of a logical environment together', async () => {
    expect((await getFrequency('', 'all')).body).toMatchObject({ total: 5, lead_time: { p50: 15 } })
    expect((await getFrequency('?flow_name=build', 'all')).body.total).toBe(4)
  })

  it('has no lead time if no commit is known', async () => {
    const { body } = await getFrequency('?from=2026-01-01&to=2026-01-02')
    expect(body).toMatchObject({
      total: 0,
      median_per_day: 0,
      lead_time: { p50: null, p90: null, p99: null },
    })
  })
})

describe('200 around midnight', () => {
  it('counts by UTC days', async () => {
    await makeEnvironment(app, 'late')
    app.clock.advance(DAY_MS / 2 - 60_000)
    await report(app, 'late', 'a')
    app.clock.advance(120_000)
    await report(app, 'late', 'a', 'b', 'c')
    expect((await getFrequency('?from=2026-03-05&to=2026-03-06T12:00:00Z', 'late')).body.per_day).toEqual([
      { date: '2026-03-05', count: 1 },
      { date: '2026-03-06', count: 2 },
    ])
  })
})

describe('400', () => {
  it.each([
    ['from=x', 'from', 'Input should be a time in ISO 8601 or epoch seconds [input: x]'],
    ['from=0', 'from', 'The period should be at most 1830 days long'],
    ['from=2026-03-02&to=2026-03-01', 'from', 'The period should begin before it ends'],
    ['flow_name=build&flow_id=x', 'flow_id', 'Give flow_name or flow_id, not both'],
  ])('rejects %s', async (query, field, sentence) => {
    const { status, body } = await getFrequency(`?${query}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [`query.${field}`]: sentence })
  })
})

describe('404', () => {
  it.each([
    ['?flow_name=nowhere', 'prod', "Flow named 'nowhere' does not exist for organization 'acme'"],
    ['?flow_id=x', 'prod', "Flow with id 'x' does not exist for organization 'acme'"],
    [
      '?flow_id=00000000-0000-0000-0000-00000000',
      'prod',
      "Flow with id '00000000-0000-0000-0000-00000000' does not exist for organization 'acme'",
    ],
    ['', 'nowhere', "Environment named 'nowhere' does not exist for organization 'acme'"],
  ])('finds nothing for %s in %s', async (query, environment, message) => {
    const { status, body } = await getFrequency(query, environment)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
