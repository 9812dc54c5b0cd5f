// Rate limits: which kinds of traffic are limited separately, and which client a request counts for, behind a proxy
// and in an IPv6 network.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertSession } from './browser.ts'
import { startTestApp, type TestApp } from './harness.ts'

const CLIENT = '203.0.113.7'

/** Sends a request from an address with these headers, and returns its status. */
async function ask(app: TestApp, url: string, from: string, headers: Record<string, string> = {}) {
  const [method, path = ''] = url.split(' ')
  const payload = method === 'POST' ? { payload: { token: 'no token' } } : {}
  const answer = await app.server.inject({
    method: method as 'GET',
    url: path,
    remoteAddress: from,
    headers,
    ...payload,
  })
  return answer.statusCode
}

describe('a flood', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: '3/m' } })
  })
  afterAll(() => app.stop())

  const TRAFFIC = {
    'callers without a key': ['GET /api/v2/meta', 200],
    'requests with a bad key': ['GET /api/v2/flows/acme', 401],
    'sign-in pages': ['GET /sign-in', 200],
    'exchanges of CI tokens': ['POST /api/v2/keyless/acme/exchange', 401],
    'a key': ['GET /api/v2/flows/acme?key', 200],
    'a session': ['GET /api/v2/flows/acme?session', 200],
  } as const
  type Kind = keyof typeof TRAFFIC
  /** These count together, because a caller who guesses keys has none. */
  const TOGETHER: Kind[] = ['callers without a key', 'requests with a bad key']
  let session: string

  async function send(kind: Kind): Promise<number> {
    const [url] = TRAFFIC[kind]
    const headers: Record<string, string> =
      kind === 'a key'
        ? { authorization: `Bearer ${app.member.key}` }
        : kind === 'a session'
          ? { cookie: `__Host-waybill=${session}` }
          : {}
    return ask(app, url.replace(/\?.*/, ''), CLIENT, headers)
  }

  it.each(Object.keys(TRAFFIC) as Kind[])('of %s stops only itself', async flooding => {
    session = await insertSession(app, 'max')
    for (let i = 0; i < 3; i++) expect(await send(flooding)).toBe(TRAFFIC[flooding][1])
    expect(await send(flooding)).toBe(429)
    const others = (Object.keys(TRAFFIC) as Kind[]).filter(
      kind => kind !== flooding && !(TOGETHER.includes(kind) && TOGETHER.includes(flooding)),
    )
    for (const kind of others) expect([kind, await send(kind)]).toEqual([kind, TRAFFIC[kind][1]])
    app.clock.advance(60_000)
  })
})

it('each kind of traffic has its own setting', async () => {
  const app = await startTestApp({
    settings: {
      WAYBILL_RATE_LIMIT: 'off',
      WAYBILL_RATE_LIMIT_ANONYMOUS: '1/m',
      WAYBILL_RATE_LIMIT_SIGN_IN: '2/m',
      WAYBILL_RATE_LIMIT_EXCHANGE: '3/m',
    },
  })
  const countAccepted = async (url: string) => {
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push(await ask(app, url, CLIENT))
    return statuses.filter(status => status !== 429).length
  }
  expect(await countAccepted('GET /api/v2/meta')).toBe(1)
  expect(await countAccepted('GET /sign-in')).toBe(2)
  expect(await countAccepted('POST /api/v2/keyless/acme/exchange')).toBe(3)
  await app.stop()
})

describe('the client', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({
      settings: { WAYBILL_RATE_LIMIT: '1/m', WAYBILL_TRUSTED_PROXIES: '10.0.0.0/8, fd00::7' },
    })
  })
  afterAll(() => app.stop())

  /** Whether two requests count for the same client. */
  async function isSameClient(
    one: [from: string, headers?: Record<string, string>],
    other: [from: string, headers?: Record<string, string>],
  ): Promise<boolean> {
    app.clock.advance(60_000)
    expect(await ask(app, 'GET /api/v2/meta', ...one)).toBe(200)
    return (await ask(app, 'GET /api/v2/meta', ...other)) === 429
  }
  const via = (list: string) => ({ 'x-forwarded-for': list })

  it('is the last address that a trusted proxy names', async () => {
    expect(await isSameClient(['10.0.0.1', via(CLIENT)], [CLIENT])).toBe(true)
    expect(await isSameClient(['fd00::7', via(CLIENT)], [CLIENT])).toBe(true)
    expect(await isSameClient(['::ffff:10.0.0.1', via(CLIENT)], [CLIENT])).toBe(true)
    expect(await isSameClient(['10.0.0.1', via(CLIENT)], ['10.0.0.2', via('203.0.113.8')])).toBe(false)
  })

  it('is the rightmost address that is not a trusted proxy', async () => {
    expect(await isSameClient(['10.0.0.1', via(`192.0.2.9, ${CLIENT}, 10.0.0.5`)], [CLIENT])).toBe(true)
    expect(
      await isSameClient(['10.0.0.1', via(`1.1.1.1, ${CLIENT}`)], ['10.0.0.1', via(`2.2.2.2,${CLIENT}`)]),
    ).toBe(true)
  })

  it('is the connecting address when that is not a trusted proxy', async () => {
    expect(await isSameClient([CLIENT, via('1.1.1.1')], [CLIENT, via('2.2.2.2')])).toBe(true)
    expect(
      await isSameClient([CLIENT, { forwarded: 'for=1.1.1.1' }], [CLIENT, { forwarded: 'for=2.2.2.2' }]),
    ).toBe(true)
    expect(await isSameClient(['fd00::8', via('1.1.1.1')], ['fd00::8', via('2.2.2.2')])).toBe(true)
  })

  it('is the whole /64 network for IPv6', async () => {
    expect(await isSameClient(['2001:db8::1'], ['2001:db8::ffff:1'])).toBe(true)
    expect(await isSameClient(['2001:db8::1'], ['2001:db8:0:1::1'])).toBe(false)
  })

  it('reads the metrics only on the machine itself, not through its proxy', async () => {
    const local = await startTestApp({ settings: { WAYBILL_TRUSTED_PROXIES: '127.0.0.1' } })
    expect(await ask(local, 'GET /metrics', '127.0.0.1')).toBe(200)
    expect(await ask(local, 'GET /metrics', '127.0.0.1', via(CLIENT))).toBe(404)
    await local.stop()
  })
})
