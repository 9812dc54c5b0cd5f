// The contact for people who have found a vulnerability (RFC 9116).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../test/harness.ts'

const PATH = '/.well-known/security.txt'
const DAY_MS = 86_400_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const read = (of: TestApp, url = PATH) => of.server.inject({ method: 'GET', url })
const parseFields = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split(': ') as [string, string])

describe('/.well-known/security.txt', () => {
  it('names a contact, the policy, the language and where it is, as plain text', async () => {
    const { statusCode, headers, body } = await read(app)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const policy = `${BASE_URL}/.well-known/security-policy`
    expect(Object.fromEntries(parseFields(body))).toEqual({
      Contact: policy,
      Expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      'Preferred-Languages': 'en',
      Canonical: BASE_URL + PATH,
      Policy: policy,
    })
  })

  it('is never expired when requested, and valid for at most a year', async () => {
    for (let days = 0; days < 800; days += 73) {
      const expires = Date.parse(Object.fromEntries(parseFields((await read(app)).body)).Expires ?? '')
      const left = expires - app.clock.now().getTime()
      expect(left).toBeGreaterThan(30 * DAY_MS)
      expect(left).toBeLessThan(365 * DAY_MS)
      app.clock.advance(73 * DAY_MS)
    }
  })

  it.each([
    ['security@acme.example', ['mailto:security@acme.example']],
    ['https://acme.example/security', ['https://acme.example/security']],
    [
      'mailto:a@acme.example, https://acme.example/report',
      ['mailto:a@acme.example', 'https://acme.example/report'],
    ],
  ])('names the contacts of the operator: %s', async (WAYBILL_SECURITY_CONTACT, contacts) => {
    const other = await startTestApp({ settings: { WAYBILL_SECURITY_CONTACT } })
    const fields = parseFields((await read(other)).body)
    await other.stop()
    expect(fields.filter(([name]) => name === 'Contact').map(([, value]) => value)).toEqual(contacts)
  })
})

describe('/.well-known/security-policy', () => {
  it('is SECURITY.md, without internal comments', async () => {
    const { statusCode, headers, body } = await read(app, '/.well-known/security-policy')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(body).toMatch(/^# Security\n/)
    expect(body).toContain('## Reporting a problem')
    expect(body).not.toContain('<!--')
  })
})
