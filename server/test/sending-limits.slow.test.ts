// Limits on mails that people can make the service send: tests, invitations and resends, per organization, caller and
// address. Counted in the database, so all processes share the counts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp, type TestResponse } from './harness.ts'

const HOUR_MS = 3_600_000
const TESTS = '/organizations/acme/environments_notifications'

let app: TestApp
let others: TestApp['makeClientWith']
beforeAll(async () => {
  app = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: 'off' } })
  others = app.makeClientWith
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
})
afterAll(() => app.stop())
/** Earlier counts have expired. */
beforeEach(() => app.clock.advance(2 * HOUR_MS))

const countQueued = async () => Number((await app.sql('select count(*)::int as n from outbox'))[0]?.n)

async function createNotification(...targets: object[]): Promise<number> {
  const name = `n-${app.clock.now().getTime()}`
  const body = { name, environments: ['prod'], triggers: ['ON_NON_COMPLIANT_ENV'], targets }
  return (await app.admin.put(TESTS, body)).body.number
}
const buildMailTarget = (...emails: string[]) => ({ type: 'EMAIL', emails })
const listPeople = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@acme.example`)

async function repeat(times: number, ask: (i: number) => Promise<TestResponse>): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await ask(i)).status)
  return statuses
}
const times = (count: number, status: number) => Array(count).fill(status)

function expectRefused({ status, body, headers }: TestResponse): void {
  expect([status, body]).toEqual([429, { message: expect.stringMatching(/^Too many .* an hour/) }])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(3600)
}

describe('tests of notifications', () => {
  it('are limited per caller and hour, by the number of mails', async () => {
    const number = await createNotification(buildMailTarget(...listPeople(20)))
    const test = (client: Client) => client.post(`${TESTS}/${number}/test`)
    expect(await repeat(5, () => test(app.member))).toEqual(times(5, 201))
    const before = await countQueued()
    expectRefused(await test(app.member))
    expect(await countQueued()).toBe(before)
    expect((await test(app.admin)).status).toBe(201)
    app.clock.advance(HOUR_MS)
    expect((await test(app.member)).status).toBe(201)
  })

  it('are limited per organization, whoever the caller is', async () => {
    const number = await createNotification(buildMailTarget(...listPeople(20)))
    const test = (client: Client) => client.post(`${TESTS}/${number}/test`)
    expect(await repeat(5, () => test(app.member))).toEqual(times(5, 201))
    expect(await repeat(5, () => test(app.admin))).toEqual(times(5, 201))
    const key = (await app.admin.post('/service-accounts/acme', { name: `r-${number}`, privilege: 'member' }))
      .status
    expect(key).toBe(201)
    const robot = (await app.admin.post(`/service-accounts/acme/r-${number}/api-keys`, { description: 'x' }))
      .body
    expectRefused(await test(others(robot.key)))
  })

  it('can exceed the limit once with one large test, and are then rejected', async () => {
    const number = await createNotification(
      ...[0, 1, 2].map(part => buildMailTarget(...listPeople(50).map(one => `${part}${one}`))),
    )
    expect((await app.member.post(`${TESTS}/${number}/test`)).status).toBe(201)
    expectRefused(await app.member.post(`${TESTS}/${number}/test`))
  })

  it('count a webhook as one, and an idempotent retry as none', async () => {
    const number = await createNotification({ type: 'WEBHOOK', webhook: 'https://hooks.example.com/a' })
    const path = `${TESTS}/${number}/test`
    const again = () => app.member.call('POST', path, undefined, { 'idempotency-key': `test-${number}` })
    expect(await repeat(120, again)).toEqual(times(120, 201))
    expect(await repeat(99, () => app.member.post(path))).toEqual(times(99, 201))
    expectRefused(await app.member.post(path))
  })

  it('are limited even when they arrive at once', async () => {
    const number = await createNotification(buildMailTarget(...listPeople(50)))
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => app.member.post(`${TESTS}/${number}/test`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...times(2, 201), ...times(10, 429)])
  })
})

describe('invitations', () => {
  const invite = (email: string) => app.admin.post('/invitations/acme', { email, role: 'reader' })

  it('are limited per caller and hour', async () => {
    expect(await repeat(100, i => invite(`a${i}@new.example`))).toEqual(times(100, 201))
    expectRefused(await invite('one-more@new.example'))
    const { body } = await app.admin.get('/invitations/acme')
    expect(body.map(({ email }: { email: string }) => email)).not.toContain('one-more@new.example')
    app.clock.advance(HOUR_MS)
    expect((await invite('one-more@new.example')).status).toBe(201)
  })

  it('go to one address at most five times an hour, however they are sent', async () => {
    const sent = await invite('Often@new.example')
    const { id } = sent.body
    const resend = () => app.admin.post(`/invitations/acme/${id}/resend`)
    expect(await repeat(2, resend)).toEqual(times(2, 200))
    await app.admin.delete(`/invitations/acme/${id}`)
    const again = (await invite('often@NEW.example')).body.id
    expect((await app.admin.post(`/invitations/acme/${again}/resend`)).status).toBe(200)
    expectRefused(await app.admin.post(`/invitations/acme/${again}/resend`))
    await app.admin.delete(`/invitations/acme/${again}`)
    expectRefused(await invite('often@new.example'))
    expect((await invite('seldom@new.example')).status).toBe(201)
  })
})
