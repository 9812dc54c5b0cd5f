import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport, makeEnvironment } from '../../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { WIRE_ID } from '../../../../test/reports.ts'

const REPORTER = { name: 'waybill watch', version: '1.0.0' }

let app: TestApp
let now: number
beforeAll(async () => {
  app = await startTestApp()
  now = app.clock.now().getTime() / 1000
  for (const name of ['prod', 'stage', 'quiet']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'stage'] })
  await send('prod', 'aa', { observed_at: now })
  await send('stage', 'aa', { observed_at: now })
  await send('prod', 'bb', {
    observed_at: now - 30,
    reporter: REPORTER,
    is_partial: true,
    missing: ['payments'],
  })
  await send('stage', 'cc', { observed_at: now - 20 })
  await send('prod', 'dd', { observed_at: now - 10 })
})
afterAll(() => app.stop())

const send = (environment: string, start: string, more: Record<string, unknown>) =>
  app.snapshotter.put(`/environments/acme/${environment}/report/K8S`, { ...buildPodReport(start), ...more })
const list = (environment: string, query = '') =>
  app.reader.get(`/environments/acme/${environment}/late-reports${query}`)
const listTimes = async (environment: string, query = '') =>
  (await list(environment, query)).body.map(({ observed_at }: { observed_at: number }) => observed_at - now)

describe('200', () => {
  it('lists what each report said about itself, the last observed first', async () => {
    const { status, body } = await list('prod')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: expect.stringMatching(WIRE_ID),
        environment_name: 'prod',
        observed_at: now - 10,
        received_at: now,
        newest_at: now,
        artifact_count: 1,
        missing: [],
        reporter: null,
        reported_by: 'sam',
        report_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      expect.objectContaining({ observed_at: now - 30, reporter: REPORTER, missing: ['payments'] }),
    ])
  })

  it('lists the reports of the members of a logical environment, merged by time', async () => {
    expect(await listTimes('all')).toEqual([-10, -20, -30])
    expect(await listTimes('all', '?per_page=1&page=2')).toEqual([-20])
  })

  it('is empty without any', async () => expect((await list('quiet')).body).toEqual([]))

  it('says how many there are', async () => {
    const { headers } = await list('all', '?per_page=2')
    expect(headers).toMatchObject({ 'x-total-count': '3', 'x-total-pages': '2' })
  })

  it('reads a report of an earlier version from its content', async () => {
    await makeEnvironment(app, 'earlier')
    await send('earlier', 'aa', { observed_at: now })
    await send('earlier', 'bb', {
      observed_at: now - 5,
      reporter: REPORTER,
      is_partial: true,
      missing: ['x'],
    })
    await send('earlier', 'cc', { observed_at: now - 6 })
    const before = (await list('earlier')).body
    await app.sql(
      `update late_reports set artifact_count = null, reporter = null, missing = null, newest_at = null, reported_by = null
       where environment_id = (select environment_id from environments where name = 'earlier')`,
    )
    const unknown = { newest_at: null, reported_by: null }
    expect((await list('earlier')).body).toEqual(before.map((each: object) => ({ ...each, ...unknown })))
  })
})

describe('404', () => {
  it('for an environment that does not exist', async () => {
    const { status, body } = await list('nowhere')
    expect([status, body.message]).toEqual([
      404,
      "Environment named 'nowhere' does not exist for organization 'acme'",
    ])
  })
})
