import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CiIssuer, makeSigningKey, signToken, startIssuer } from '../../test/ci-issuer.ts'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { TIME_LIMITS, type TimeLimits } from '../app.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

let app: TestApp
let issuer: CiIssuer
beforeEach(async () => {
  issuer = await startIssuer()
  app = await makeTestApp({})
})
afterEach(async () => {
  await app.stop()
  await issuer.stop()
})

async function makeTestApp(time_limits: Partial<TimeLimits>): Promise<TestApp> {
  const made = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url }, time_limits })
  const rule = { name: 'r', issuer: issuer.url, claims: { repository_id: '74' }, privilege: 'reader' }
  expect((await made.admin.post('/trust-rules/acme', rule)).status).toBe(201)
  return made
}

const exchange = async (by = issuer.keys[0]) =>
  app.anonymous.post('/keyless/acme/exchange', { token: await signToken(app, issuer, {}, by) })
const countFetches = () => issuer.requests.filter(path => path === '/keys').length

describe('the keys of an issuer', () => {
  it('are fetched when needed, once for concurrent requests, and cached for 10 minutes', async () => {
    expect(issuer.requests).toEqual([])
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange()))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
    app.clock.advance(9 * MINUTE)
    expect((await exchange()).status).toBe(201)
    expect(countFetches()).toBe(1)
    app.clock.advance(MINUTE)
    expect((await exchange()).status).toBe(201)
    expect(countFetches()).toBe(2)
  })

  it('are fetched again for an unknown key id, once a minute at most', async () => {
    await exchange()
    const second = await makeSigningKey('second')
    issuer.keys.unshift(second)
    expect((await exchange(second)).status).toBe(401)
    expect(countFetches()).toBe(1)
    app.clock.advance(MINUTE)
    expect((await exchange(second)).status).toBe(201)
    expect(countFetches()).toBe(2)
    const stranger = await makeSigningKey('made-up')
    app.clock.advance(MINUTE)
    for (let i = 0; i < 5; i++) expect((await exchange(stranger)).status).toBe(401)
    expect(countFetches()).toBe(3)
  })

  it('are no longer trusted once the issuer removed them', async () => {
    const [first] = issuer.keys
    await exchange()
    issuer.keys = [await makeSigningKey('second')]
    app.clock.advance(10 * MINUTE)
    expect((await exchange(first)).status).toBe(401)
  })

  it('are not requested for a token of another issuer', async () => {
    const other = await startIssuer()
    const token = await signToken(app, other)
    expect((await app.anonymous.post('/keyless/acme/exchange', { token })).status).toBe(401)
    expect(other.requests).toEqual([])
    await other.stop()
  })
})

describe('503', () => {
  const expectUnavailable = async () => {
    const { status, body, headers } = await exchange()
    expect(body).toEqual({ message: 'The issuer of the token is not responding; try again' })
    expect([status, headers['retry-after']]).toEqual([503, '10'])
  }

  it.each<[string, NonNullable<CiIssuer['misbehave']>]>([
    ['an error', () => ({ status: 500, body: '{}' })],
    ['no JSON', () => ({ status: 200, body: '<html>' })],
    ['a list', () => ({ status: 200, body: '[]' })],
    ['a redirect', path => ({ status: 302, headers: { location: `${issuer.url}${path}?again` }, body: '' })],
    ['far too much', () => ({ status: 200, body: JSON.stringify({ x: 'x'.repeat(256 * 1024) }) })],
    [
      'the document of another issuer',
      () => ({
        status: 200,
        body: JSON.stringify({ issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}/keys` }),
      }),
    ],
    [
      'keys at another host',
      () => ({
        status: 200,
        body: JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://169.254.169.254/keys' }),
      }),
    ],
    [
      'keys that are none',
      () => ({
        status: 200,
        body: JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, keys: 1 }),
      }),
    ],
  ])('while the issuer responds with %s', async (_what, misbehave) => {
    issuer.misbehave = misbehave
    await expectUnavailable()
    const request_count = issuer.requests.length
    await expectUnavailable()
    expect(issuer.requests, 'it is left alone for a moment').toHaveLength(request_count)
    issuer.misbehave = undefined
    app.clock.advance(10 * SECOND)
    expect((await exchange()).status).toBe(201)
  })

  it('while the issuer is down; known keys still work', async () => {
    await exchange()
    const port = Number(new URL(issuer.url).port)
    await issuer.stop()
    app.clock.advance(5 * MINUTE)
    expect((await exchange()).status).toBe(201)
    app.clock.advance(5 * MINUTE)
    await expectUnavailable()
    const { keys } = issuer
    issuer = await startIssuer(port)
    issuer.keys = keys
    app.clock.advance(10 * SECOND)
    expect((await exchange()).status).toBe(201)
  })

  it('after five seconds if the issuer does not respond', async () => {
    expect(TIME_LIMITS.ci_issuer_ms).toBe(5 * SECOND)
    await app.stop()
    app = await makeTestApp({ ci_issuer_ms: 200 })
    issuer.misbehave = () => ({ status: 200, headers: { 'content-length': '1000' }, body: '{' })
    await expectUnavailable()
  })
})
