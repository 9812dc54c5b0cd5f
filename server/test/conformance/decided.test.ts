// Decisions that no other test proves: how requests are checked, and what flows, trails and searches
// return.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeFlow } from '../reports.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: unit
          type: generic
    - name: other
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

describe('a request', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: '5/m' } })
  })
  afterAll(() => limited.stop())

  it('is checked for its key, its rate, the organization and the role, before its content', async () => {
    const bad = '/flows/acme/no%20name/rename?no_such_parameter=1'
    const body = { no_such_property: 1 }
    expect((await limited.makeClientWith('not-a-key-of-anybody').put(bad, body)).status).toBe(401)
    expect((await limited.outsider.put(bad, body)).body.message).toMatch(/^Access denied/)
    expect((await limited.reader.put(bad, body)).body.message).toMatch(/permission/)
    for (let i = 0; i < 4; i++) await limited.outsider.get('/flows/other-corp')
    expect((await limited.outsider.put(bad, body)).status).toBe(429)
  })

  it('has its path checked before its query, and that before its body', async () => {
    const readErrors = async (path: string) => {
      const answer = await app.member.call('PUT', path, { no_such_property: 1 })
      return [answer.status, Object.keys(answer.body.errors)]
    }
    const long = 'x'.repeat(300)
    expect(await readErrors(`/environments/acme/${long}/archive?no_such_parameter=1`)).toEqual([
      400,
      ['query.no_such_parameter'],
    ])
    expect(await readErrors('/environments/acme/prod/archive')).toEqual([400, ['no_such_property']])
    const version = await app.reader.get('/policies/acme/x/versions/none?no_such_parameter=1')
    expect([version.status, Object.keys(version.body.errors)]).toEqual([400, ['version']])
  })
})

describe('a flow', () => {
  it('has the state of the trail that was created last', async () => {
    await makeFlow(app, 'states', TEMPLATE)
    const state = async () => (await app.reader.get('/flows/acme/states')).body.latest_state
    await app.member.put('/trails/acme/states', { name: 'first' })
    await app.member.post('/attestations/acme/states/trail/first/generic', {
      attestation_name: 'bad',
      is_compliant: false,
    })
    expect(await state()).toBe('NON-COMPLIANT')
    await app.member.put('/trails/acme/states', { name: 'second' })
    await app.member.put('/trails/acme/states', { name: 'first', description: 'again' })
    expect(await state()).toBe('INCOMPLETE')
  })
})

describe('a repository', () => {
  it('is a different one when its provider is not named', async () => {
    const repo = { id: '77', name: 'acme/pair', url: 'https://git.example.com/pair' }
    for (const [name, repo_info] of [
      ['with', { ...repo, provider: 'github' }],
      ['without', repo],
      ['with-again', { ...repo, provider: 'github' }],
    ] as const) {
      expect((await app.member.put('/trails/acme/ci', { name, repo_info })).status).toBe(201)
    }
    const { repos } = (await app.reader.get('/repos/acme?name=acme%2Fpair')).body
    expect(repos).toHaveLength(2)
  })
})

/** Ids that sort after everything created so far, in the order of i. */
const LATER_ID = "('ffffffff-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"

describe('a trail', () => {
  it('shows its newest thousand events, oldest first', async () => {
    await app.member.put('/trails/acme/ci', { name: 'long', description: 'first' })
    await app.sql(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
       select e.org_id, ${LATER_ID}, 'trail_updated', e.happened_at + i * interval '1 second', 'max', 'r',
              e.flow_id, e.trail_id, '{}'
       from events e, generate_series(1, 1000) i
       where e.kind = 'trail_reported' and e.trail_id = (select trail_id from trails where name = 'long')`,
    )
    const { events } = (await app.reader.get('/trails/acme/ci/long')).body
    expect(events).toHaveLength(1000)
    const begun_at = app.clock.now().getTime() / 1000
    expect(events.map(({ timestamp }: { timestamp: number }) => timestamp - begun_at)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i + 1),
    )
  })
})

describe('a search for names', () => {
  it('finds a name by its first 24 words, and by none after them', async () => {
    const words = Array.from({ length: 25 }, (_, i) => `w${i + 1}x`)
    await app.member.put('/trails/acme/ci', { name: words.join('-') })
    const found = async (part: string) =>
      (await app.reader.get(`/trails/acme?search_by_name=${part}`)).body.pagination.total
    expect([await found('w1x'), await found('w24x'), await found('w25x')]).toEqual([1, 1, 0])
  })
})

describe('name_regex', () => {
  it('examines 5,000 attestations for one page, and says where to continue', async () => {
    await app.member.put('/trails/acme/ci', { name: 'many' })
    await app.member.post('/attestations/acme/ci/trail/many/generic', {
      attestation_name: 'needle',
      is_compliant: true,
    })
    await app.sql(
      `insert into attestations
       select (jsonb_populate_record(a, jsonb_build_object('attestation_id', ${LATER_ID},
               'attestation_name', 'haystack'))).*
       from attestations a, generate_series(1, 5000) i where a.attestation_name = 'needle'`,
    )
    const path = '/attestations/acme?name_regex=%5Eneedle'
    const { data, pagination } = (await app.reader.get(path)).body
    expect(data).toEqual([])
    const next = await app.reader.get(`${path}&after=${pagination.after}`)
    expect(next.body.data).toMatchObject([{ attestation_name: 'needle' }])
  })
})
