// GET /environment-timelines/{org}: the timelines of several environments equal the single timelines, read at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { listStatements } from '../../../test/statement-log.ts'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

let app: TestApp
let start: number
const toTime = (hours: number) => start + hours * HOUR_S
const advanceHours = (many: number) => app.clock.advance(many * HOUR_S * 1000)

// prod: unknown from 0:00, non-compliant from 2:00 on, three snapshots. beta: unknown from 4:00. It is 10:00.
beforeAll(async () => {
  app = await startTestApp()
  start = app.clock.now().getTime() / 1000
  await putPolicy(app, 'built', buildPolicyRequiring())
  for (const name of ['prod', 'beta', 'empty']) await makeEnvironment(app, name)
  await makeEnvironment(app, 'all', { type: 'logical', included_environments: ['prod', 'beta'] })
  await report(app, 'prod', 'a', 'b')
  advanceHours(2)
  await attach(app, 'prod', 'built')
  advanceHours(1)
  await report(app, 'prod', 'a')
  advanceHours(1)
  await report(app, 'beta', 'a')
  advanceHours(6)
})
afterAll(() => app.stop())

const get = (query: string) => app.reader.get(`/environment-timelines/acme?${query}`)
const ALL = ['prod', 'beta', 'all', 'empty'].map(name => `environment=${name}`).join('&')

interface Timeline {
  environment_name: string
  buckets: object[]
}

describe('200', () => {
  it('has the buckets of each environment, also of a logical one', async () => {
    const query = `from=${toTime(0)}&buckets=20`
    const { status, body } = await get(`${ALL}&${query}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ from: toTime(0), to: toTime(10) })
    expect(body.timelines.map(({ environment_name }: Timeline) => environment_name)).toEqual([
      'all',
      'beta',
      'empty',
      'prod',
    ])
    for (const { environment_name, buckets } of body.timelines as Timeline[]) {
      const alone = (await app.reader.get(`/environments/acme/${environment_name}/timeline?${query}`)).body
      expect(buckets).toEqual(alone.buckets)
    }
  })

  it('says since when each has its state, and how many artifacts have which', async () => {
    const { timelines } = (await get(`${ALL}&from=${toTime(0)}`)).body
    const [, beta, empty, prod] = timelines
    expect(prod).toMatchObject({
      latest_snapshot_index: 3,
      state_since: toTime(2),
      is_state_older: false,
      artifact_compliance_count: { true: 0, false: 1, null: 0 },
    })
    expect(beta).toMatchObject({ state_since: toTime(4), is_state_older: false })
    expect(empty).toMatchObject({
      latest_snapshot_index: 0,
      state_since: null,
      is_state_older: false,
      artifact_compliance_count: { true: 0, false: 0, null: 0 },
    })
  })

  it.each([
    { from: 2.5, state_since: 3, what: 'its first snapshot in the period' },
    { from: 5, state_since: 5, what: 'the start of the period if there is none' },
  ])('says that a state is older than $what', async ({ from, state_since }) => {
    const { timelines } = (await get(`environment=prod&from=${toTime(from)}`)).body
    expect(timelines).toMatchObject([{ state_since: toTime(state_since), is_state_older: true }])
  })

  it('covers 90 days by default', async () => {
    const { from, to } = (await get('environment=prod')).body
    expect(to - from).toBe(90 * DAY_S)
  })

  it('leaves out names that no environment has, and environments of others', async () => {
    await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
    const { status, body } = await get('environment=nothing&environment=theirs')
    expect([status, body.timelines]).toEqual([200, []])
  })

  it('sends as many statements for four environments as for one', async () => {
    const one = await listStatements(app, () => get('environment=prod'))
    expect(await listStatements(app, () => get(ALL))).toEqual(one)
  })
})

describe('400', () => {
  it.each([
    ['from=5', 'query.environment'],
    [`environment=prod&from=4000000000`, 'query.from'],
    ['environment=prod&buckets=9', 'query.buckets'],
  ])('rejects %s and names the parameter', async (query, field) => {
    const { status, body } = await get(query)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it('refuses everyone outside the organization', async () => {
    expect((await app.outsider.get('/environment-timelines/acme?environment=prod')).status).toBe(403)
  })
})
