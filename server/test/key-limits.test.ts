// Limits of API keys besides the role of their owner: lifetime, operations, flows and environments, addresses. And
// the limits of CI jobs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeCsrfToken, SESSION_COOKIE } from '../src/lib/session-token.ts'
import { insertSession } from './browser.ts'
import { ACTIONS_JOB, type CiIssuer, signToken, startIssuer } from './ci-issuer.ts'
import { type Client, ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'

const DAY_S = 86_400
const ACCOUNTS = `/service-accounts/${ORG}`

let app: TestApp
let issuer: CiIssuer
beforeAll(async () => {
  issuer = await startIssuer()
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url } })
  for (const name of ['first', 'second']) await app.admin.put(`/flows/${ORG}`, { name, description: '' })
  for (const name of ['staging', 'production'])
    await app.admin.put(`/environments/${ORG}`, { name, type: 'docker' })
  await app.admin.post(ACCOUNTS, { name: 'bot', privilege: 'member' })
})
afterAll(async () => {
  await app.stop()
  await issuer.stop()
})

const now = () => app.clock.now().getTime() / 1000
const changeSettings = (settings: Record<string, unknown>) =>
  app.admin.patch(`/organizations/${ORG}`, { settings })
const newKey = (wanted: Record<string, unknown> = {}, by = app.admin) =>
  by.post(`${ACCOUNTS}/bot/api-keys`, { description: 'x', ...wanted })
const makeBotClient = async (wanted: Record<string, unknown>) =>
  app.makeClientWith((await newKey(wanted)).body.key)
const getFrom = (client: Client, address: string, path = `/flows/${ORG}`) =>
  app.server.inject({
    method: 'GET',
    url: `/api/v2${path}`,
    headers: { authorization: `Bearer ${client.key}` },
    remoteAddress: address,
  })

describe('the lifetime of a key', () => {
  it('is no longer than the organization allows', async () => {
    await changeSettings({ max_key_lifetime_days: 30 })
    expect((await newKey()).body.expires_at).toBe(now() + 30 * DAY_S)
    expect((await newKey({ expires_at: 0 })).body.expires_at).toBe(now() + 30 * DAY_S)
    expect((await newKey({ expires_at: now() + 29 * DAY_S })).status).toBe(201)
    const late = await newKey({ expires_at: now() + 31 * DAY_S })
    expect([late.status, late.body.errors.expires_at]).toEqual([
      400,
      expect.stringContaining('30 days from now, the longest lifetime that the organization allows'),
    ])
    await changeSettings({ max_key_lifetime_days: null })
    expect((await newKey()).body.expires_at).toBe(0)
  })

  it('ends on a whole second, which existing clients can decode', async () => {
    await changeSettings({ max_key_lifetime_days: 30 })
    app.clock.advance(123)
    const { body: made } = await newKey()
    expect(made.expires_at).toBe(Math.floor(now()) + 30 * DAY_S)
    const path = `${ACCOUNTS}/bot/api-keys/${made.id}`
    const { body: rotated } = await app.admin.post(`${path}/rotate`, {})
    expect(rotated).toMatchObject({
      expires_at: made.expires_at,
      grace_period_expires_at: Math.floor(now()) + DAY_S,
    })
    const { body: read } = await app.admin.get(path)
    expect([read.expires_at, read.stops_at]).toEqual([
      rotated.grace_period_expires_at,
      rotated.grace_period_expires_at,
    ])
    app.clock.advance(877)
    await changeSettings({ max_key_lifetime_days: null })
  })

  it('is a year in a new organization', async () => {
    await app.admin.post('/organizations', { name: 'fresh' })
    await app.admin.post('/service-accounts/fresh', { name: 'bot' })
    const { body } = await app.admin.post('/service-accounts/fresh/bot/api-keys', { description: 'x' })
    expect(body.expires_at).toBe(now() + 365 * DAY_S)
  })

  it('of a person counts from its creation, and each organization applies its own maximum', async () => {
    const kim = await addPerson(app, 'kim', 'reader')
    await changeSettings({ max_key_lifetime_days: 10 })
    expect((await kim.get(`/flows/${ORG}`)).status).toBe(200)
    app.clock.advance(11 * DAY_S * 1000)
    const answer = await kim.get(`/flows/${ORG}`)
    expect([answer.status, answer.body.message]).toEqual([
      403,
      `The organization '${ORG}' accepts keys for 10 days after they were created; create a new one`,
    ])
    expect((await kim.get('/organizations')).status).toBe(200)
    // By now the admin's key is too old as well.
    await app.sql("update orgs set settings = settings - 'max_key_lifetime_days' where name = $1", [ORG])
    app.clock.advance(5000)
  })

  it.each([
    ['another key of the same person', () => '/user/api-keys'],
    ['a key of a service account', () => `${ACCOUNTS}/bot/api-keys`],
  ])('is never extended by a key that creates %s', async (_what, path) => {
    const ends = now() + 600
    const { body } = await app.admin.post('/user/api-keys', { description: 'short', expires_at: ends })
    const short = app.makeClientWith(body.key)
    expect((await short.post(path(), { description: 'x' })).body.expires_at).toBe(ends)
    expect((await short.post(path(), { description: 'x', expires_at: 0 })).body.expires_at).toBe(ends)
    const longer = await short.post(path(), { description: 'x', expires_at: ends + 1 })
    expect([longer.status, longer.body.errors.expires_at]).toEqual([
      400,
      expect.stringContaining('when the key that creates it expires'),
    ])
  })

  it('is never extended by rotating a key with itself', async () => {
    const ends = now() + 600
    const { body } = await app.admin.post('/user/api-keys', { description: 'short', expires_at: ends })
    const rotated = await app
      .makeClientWith(body.key)
      .post(`/user/api-keys/${body.id}/rotate`, { expires_at: 0 })
    expect([rotated.status, rotated.body.expires_at]).toEqual([201, ends])
  })

  it('is chosen freely by a person who is signed in', async () => {
    const secret = await insertSession(app, 'ada')
    const headers = { cookie: `${SESSION_COOKIE}=${secret}`, 'x-csrf-token': computeCsrfToken(secret) }
    const answer = await app.anonymous.call('POST', '/user/api-keys', { description: 'x' }, headers)
    expect([answer.status, answer.body.expires_at]).toEqual([201, 0])
  })
})

describe('a key for some operations', () => {
  const calls: Record<string, (client: Client) => Promise<{ status: number }>> = {
    read: client => client.get(`/flows/${ORG}/first`),
    report: client => client.put(`/trails/${ORG}/first`, { name: 'run' }),
    attest: client =>
      client.post(`/attestations/${ORG}/first/trail/run/generic`, {
        attestation_name: 'a',
        is_compliant: true,
      }),
    administer: client => client.put(`/flows/${ORG}`, { name: 'made', description: '' }),
  }

  it.each(Object.keys(calls))('does nothing but %s', async family => {
    await calls.report?.(app.member)
    const key = await makeBotClient({ operations: [family] })
    for (const [name, call] of Object.entries(calls)) {
      const { status } = await call(key)
      expect([name, status === 403]).toEqual([name, name !== family])
    }
  })

  it('names the operation it lacks', async () => {
    const { body } = await (await makeBotClient({ operations: ['read', 'attest'] })).put(
      `/trails/${ORG}/first`,
      {
        name: 'x',
      },
    )
    expect(body.message).toBe("This key may only read, attest; the request needs 'report'")
  })

  it('cannot create a key with wider limits', async () => {
    const { body } = await app.admin.post('/user/api-keys', {
      description: 'x',
      operations: ['read', 'administer'],
    })
    const limited = app.makeClientWith(body.key)
    const wider = await limited.post('/user/api-keys', { description: 'x' })
    expect([wider.status, wider.body.message]).toEqual([
      403,
      'A key with limits can only create keys with the same or narrower limits',
    ])
    expect((await newKey({}, limited)).status).toBe(403)
    expect((await newKey({ operations: ['read'] }, limited)).status).toBe(201)
  })

  it('keeps its limits when it is rotated', async () => {
    const { body } = await newKey({ operations: ['read'], allowed_addresses: ['127.0.0.1'] })
    const rotated = await app.admin.post(`${ACCOUNTS}/bot/api-keys/${body.id}/rotate`, {})
    const shown = await app.admin.get(`${ACCOUNTS}/bot/api-keys/${rotated.body.id}`)
    expect(shown.body).toMatchObject({ operations: ['read'], allowed_addresses: ['127.0.0.1'] })
  })
})

describe('a key for some flows and environments', () => {
  it('works for those and for nothing else', async () => {
    const key = await makeBotClient({ flows: ['first'], environments: ['staging'] })
    for (const [path, status] of [
      [`/flows/${ORG}/first`, 200],
      [`/flows/${ORG}/second`, 403],
      [`/flows/${ORG}`, 403],
      [`/environments/${ORG}/staging`, 200],
      [`/environments/${ORG}/production`, 403],
      [`/environments/${ORG}`, 403],
      [`/flows/${ORG}/unknown`, 403],
    ] as const) {
      expect([path, (await key.get(path)).status]).toEqual([path, status])
    }
  })

  it('follows the flow when it is renamed', async () => {
    await app.admin.put(`/flows/${ORG}`, { name: 'before', description: '' })
    const { body } = await newKey({ flows: ['before'] })
    const key = app.makeClientWith(body.key)
    await app.admin.put(`/flows/${ORG}/before/rename`, { new_name: 'after' })
    await app.admin.put(`/flows/${ORG}`, { name: 'before', description: 'another' })
    expect((await key.get(`/flows/${ORG}/after`)).status).toBe(200)
    expect((await key.get(`/flows/${ORG}/before`)).status).toBe(403)
    expect((await app.admin.get(`${ACCOUNTS}/bot/api-keys/${body.id}`)).body.flows).toEqual(['after'])
  })

  it.each([{ flows: ['no'] }, { environments: ['staging', 'no'] }])('is rejected with %j', async wanted => {
    const { status, body } = await newKey(wanted)
    const [kind] = Object.keys(wanted)
    expect([status, Object.keys(body.errors)]).toEqual([400, [`${kind}.${kind === 'flows' ? 0 : 1}`]])
  })
})

describe('addresses', () => {
  it('of a key limit where it is used, and the last one used is shown', async () => {
    const { body } = await newKey({ allowed_addresses: ['10.1.0.0/16', '2001:db8::1'] })
    const key = app.makeClientWith(body.key)
    for (const [address, status] of [
      ['10.1.2.3', 200],
      ['10.2.2.3', 403],
      ['2001:db8::1', 200],
      ['2001:db8::2', 403],
    ] as const) {
      expect([address, (await getFrom(key, address)).statusCode]).toEqual([address, status])
    }
    const shown = async () => (await app.admin.get(`${ACCOUNTS}/bot/api-keys/${body.id}`)).body.last_used_from
    await expect.poll(shown).toBe('10.1.2.3')
  })

  it('of an organization limit where its members can connect from', async () => {
    await changeSettings({ allowed_addresses: ['127.0.0.0/8'] })
    expect((await app.member.get(`/flows/${ORG}`)).status).toBe(200)
    const elsewhere = await getFrom(app.member, '192.0.2.7')
    expect([elsewhere.statusCode, elsewhere.json().message]).toEqual([
      403,
      `The organization '${ORG}' may not be reached from 192.0.2.7`,
    ])
    expect((await getFrom(app.member, '192.0.2.7', '/organizations')).statusCode).toBe(200)
    await changeSettings({ allowed_addresses: [] })
  })

  it('of an organization must include the caller who sets them', async () => {
    const { status, body } = await changeSettings({ allowed_addresses: ['192.0.2.0/24'] })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['settings.allowed_addresses']])
    expect((await app.admin.get(`/flows/${ORG}`)).status).toBe(200)
  })

  it.each(['10.0.0.0/33', '010.0.0.1', 'example.com', '10.1', ''])('cannot be %j', async entry => {
    for (const [answer, field] of [
      [await newKey({ allowed_addresses: [entry] }), 'allowed_addresses.0'],
      [await changeSettings({ allowed_addresses: ['127.0.0.1', entry] }), 'settings.allowed_addresses.1'],
    ] as const) {
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]])
    }
  })
})

describe('a CI job', () => {
  let jobs = 0
  const exchangeToken = async (rule: Record<string, unknown> = {}) => {
    const repository_id = String(500 + jobs++)
    const claims = { repository_id }
    await app.admin.post(`/trust-rules/${ORG}`, {
      name: `rule-${repository_id}`,
      issuer: issuer.url,
      claims,
      privilege: 'member',
      ...rule,
    })
    const token = await signToken(app, issuer, { ...ACTIONS_JOB, ...claims })
    return app.makeClientWith((await app.anonymous.post(`/keyless/${ORG}/exchange`, { token })).body.key)
  }
  const attest = (client: Client, is_compliant: boolean) =>
    client.post(`/attestations/${ORG}/first/trail/ci/generic`, { attestation_name: 'scan', is_compliant })
  const decisions: Record<string, (client: Client) => Promise<{ status: number }>> = {
    override: client =>
      client.post(`/attestations/${ORG}/first/trail/ci/override`, {
        attestation_name: 'override',
        overridden_attestation_name: 'scan',
        new_compliance_status: true,
        reason: 'because',
      }),
    approve: client =>
      client.post(`/approvals/${ORG}/first`, { artifact_fingerprint: 'a'.repeat(64), state: 'APPROVED' }),
    archive: client => client.put(`/flows/${ORG}/first/archive`),
    rename: client => client.put(`/flows/${ORG}/first/rename`, { new_name: 'mine' }),
    tag: client => client.patch(`/tags/${ORG}/flow/first`, { set_tags: { a: 'b' } }),
  }

  it('begins trails, reports and attests', async () => {
    const job = await exchangeToken({ flow_name: 'first' })
    expect((await job.put(`/trails/${ORG}/first`, { name: 'ci' })).status).toBe(201)
    expect((await attest(job, false)).status).toBe(201)
  })

  it.each(Object.keys(decisions))('does not %s', async name => {
    const job = await exchangeToken({ flow_name: 'first' })
    const answer = await decisions[name]?.(job)
    expect(answer?.status).toBe(403)
  })

  it('does more when its trust rule allows it', async () => {
    const job = await exchangeToken({ operations: ['read', 'report', 'attest', 'administer'] })
    expect((await job.put(`/flows/${ORG}`, { name: 'by-job', description: '' })).status).toBe(201)
  })
})
