import { PATIENCE_MS, until } from '@waybill/testing/patience'
import {
  type Receiver,
  type ReceiverOptions,
  startReceiver,
  startTlsReceiver,
} from '@waybill/testing/receivers'
import { type HttpsSink, makeTestCa, startHttpsSink, type TestCa } from '@waybill/testing/tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Egress } from './egress.ts'
import { EGRESS_LIMITS, type EgressParts, makeEgress } from './make.ts'
import { PATIENT_EGRESS, systemClock } from './patient.testing.ts'

const NOW = new Date('2026-03-03T12:00:00Z')
const MESSAGE = {
  headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
  body: '{"näme":"payload"}',
}
const MIB = 1024 * 1024

let ca: TestCa
let sink: HttpsSink
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ca = await makeTestCa()
  sink = await startHttpsSink({ ca })
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  sink.requests.length = 0
  sink.answer = () => ({ status: 200, body: 'ok' })
})
afterAll(() => sink.stop())

function makeTestEgress(parts: Partial<EgressParts> = {}): Egress {
  return makeEgress({
    allow: ['127.0.0.0/8', '::1'],
    dns_server: undefined,
    operator_hosts: [],
    user_agent: 'waybill/1.2.3',
    clock: { ...systemClock, now: () => NOW },
    trusted_ca: ca.ca_pem,
    limits: PATIENT_EGRESS,
    ...parts,
  })
}
const QUICK_CONNECT = { limits: { ...PATIENT_EGRESS, connect_ms: 300 } }

async function startTestReceiver(onConnection?: ReceiverOptions['onConnection']): Promise<Receiver> {
  const receiver = await startTlsReceiver(
    await ca.serverFor(['127.0.0.1']),
    onConnection ? { onConnection } : {},
  )
  stops.push(receiver.stop)
  return receiver
}
const buildUrl = ({ port }: { port: number }) => `https://127.0.0.1:${port}/hook`

describe('a message', () => {
  it('arrives with its headers, and the response is returned', async () => {
    sink.answer = () => ({
      status: 202,
      body: 'tak\u0000en\r\ncare\u001b[0m',
      headers: { 'retry-after': '7' },
    })
    const posted = await makeTestEgress().post(`${sink.url}/hook/a?b=c#d`, MESSAGE)
    expect(posted).toEqual({ reached: true, status: 202, retry_after_s: 7, start: 'taken care[0m' })
    expect(sink.requests).toEqual([
      {
        method: 'POST',
        path: '/hook/a?b=c',
        body: MESSAGE.body,
        headers: {
          host: `127.0.0.1:${sink.port}`,
          'user-agent': 'waybill/1.2.3',
          accept: '*/*',
          'accept-encoding': 'identity',
          connection: 'close',
          'content-length': '19',
          'content-type': 'application/json',
          'webhook-id': 'msg_1',
        },
      },
    ])
  })

  it.each([204, 400, 404, 410, 429, 500, 503])('returns the status %d', async status => {
    sink.answer = () => ({ status })
    expect(await makeTestEgress().post(sink.url, MESSAGE)).toMatchObject({ reached: true, status })
  })

  it('has its own connection, which is closed afterwards and carries no state from the previous one', async () => {
    const before = sink.connections
    sink.answer = () => ({ status: 200, headers: { 'set-cookie': 'a=b', 'keep-alive': 'timeout=60' } })
    const one = makeTestEgress()
    for (let i = 0; i < 3; i++) await one.post(sink.url, MESSAGE)
    expect(sink.connections - before).toBe(3)
    expect(sink.requests.map(({ headers }) => [headers.cookie, headers.connection])).toEqual(
      Array(3).fill([undefined, 'close']),
    )
    const slow = await startTestReceiver(socket =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    )
    expect(await makeTestEgress().post(buildUrl(slow), MESSAGE)).toMatchObject({ reached: true })
    await until(async () => (await slow.open()) === 0)
  })

  it.each([
    ['0', 0],
    ['120', 120],
    ['99999999', 86_400],
    ['Tue, 03 Mar 2026 12:01:00 GMT', 60],
    ['Mon, 02 Mar 2026 12:00:00 GMT', 0],
    ['Tue, 03 Mar 2099 12:00:00 GMT', 86_400],
    ['2026-03-03T12:01:00Z', null],
    ['-5', null],
    ['soon', null],
  ])('returns the delay from Retry-After: %s', async (value, retry_after_s) => {
    sink.answer = () => ({ status: 503, headers: { 'retry-after': value } })
    expect(await makeTestEgress().post(sink.url, MESSAGE)).toMatchObject({ status: 503, retry_after_s })
  })

  it('returns the first 512 bytes of the response, without a truncated character', async () => {
    sink.answer = () => ({ status: 200, body: `${'a'.repeat(511)}ü${'b'.repeat(5000)}` })
    expect(await makeTestEgress().post(sink.url, MESSAGE)).toMatchObject({ start: 'a'.repeat(511) })
  })

  it('times out after 30 seconds, of which 10 are for connecting', () =>
    expect(EGRESS_LIMITS).toEqual({ resolve_ms: 5_000, connect_ms: 10_000, total_ms: 30_000 }))
})

describe('an address that is not allowed', () => {
  it('is never connected to', async () => {
    const before = sink.connections
    const strict = makeTestEgress({ allow: [] })
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0']) {
      const posted = await strict.post(`https://${host}:${sink.port}/hook`, MESSAGE)
      expect(posted, host).toEqual({ reached: false, reason: 'bad_address' })
    }
    for (const address of ['http://127.0.0.1', 'nonsense', '', `https://a@127.0.0.1:${sink.port}`]) {
      expect(await makeTestEgress().post(address, MESSAGE)).toEqual({ reached: false, reason: 'bad_address' })
    }
    expect(sink.connections).toBe(before)
  })
})

describe('a name that the operator allows', () => {
  it('may be one that only this machine knows', async () => {
    const address = `https://localhost:${sink.port}/hook`
    expect(await makeTestEgress({ allow: ['localhost'] }).post(address, MESSAGE)).toMatchObject({
      status: 200,
    })
    expect(sink.requests[0]?.headers.host).toBe(`localhost:${sink.port}`)
  })
})

describe('a redirect', () => {
  it.each([300, 301, 302, 303, 307, 308])('%d is not followed', async status => {
    const canary = await startReceiver()
    stops.push(canary.stop)
    sink.answer = () => ({ status, headers: { location: `https://127.0.0.1:${canary.port}/` } })
    expect(await makeTestEgress().post(sink.url, MESSAGE)).toEqual({ reached: false, reason: 'redirected' })
    expect([canary.connections, sink.requests.length]).toEqual([0, 1])
  })
})

describe('a receiver without a valid certificate', () => {
  const secret = 'näme'

  it.each([
    ['self-signed', ['127.0.0.1'], { signed_by_itself: true }],
    ['expired', ['127.0.0.1'], { expired: true }],
    ['for another name', ['hooks.example', 'localhost'], {}],
    ['for another address', ['127.0.0.2'], {}],
  ])('gets nothing: its certificate is %s', async (_case, names, wrong) => {
    const receiver = await startTlsReceiver(await ca.serverFor(names, wrong))
    stops.push(receiver.stop)
    expect(await makeTestEgress().post(buildUrl(receiver), MESSAGE)).toEqual({
      reached: false,
      reason: 'not_trusted',
    })
    expect([receiver.connections, receiver.received]).toEqual([1, ''])
  })

  it('gets nothing: its certificate has an unknown issuer, even if the environment disables the check', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const untrusted = await startTlsReceiver(await (await makeTestCa()).serverFor(['127.0.0.1']))
      stops.push(untrusted.stop)
      expect(await makeTestEgress().post(buildUrl(untrusted), MESSAGE)).toEqual({
        reached: false,
        reason: 'not_trusted',
      })
      const unknown = await makeTestEgress({ trusted_ca: undefined }).post(sink.url, MESSAGE)
      expect(unknown).toEqual({ reached: false, reason: 'not_trusted' })
      expect([untrusted.received, sink.requests]).toEqual(['', []])
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })

  it('gets nothing: it uses TLS 1.1', async () => {
    const tls = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const receiver = await startTlsReceiver(await ca.serverFor(['127.0.0.1']), { tls })
    stops.push(receiver.stop)
    expect(await makeTestEgress().post(buildUrl(receiver), MESSAGE)).toEqual({
      reached: false,
      reason: 'not_trusted',
    })
    expect([receiver.connections, receiver.received]).toEqual([1, ''])
  })

  it('gets nothing: it does not use TLS', async () => {
    const onConnection: ReceiverOptions['onConnection'] = socket => socket.write('HTTP/1.1 200 OK\r\n\r\nok')
    const receiver = await startReceiver({ onConnection })
    stops.push(receiver.stop)
    expect(await makeTestEgress().post(buildUrl(receiver), MESSAGE)).toEqual({
      reached: false,
      reason: 'not_trusted',
    })
    expect(receiver.connections).toBe(1)
    for (const text of [secret, 'POST', '/hook', 'msg_1']) expect(receiver.received).not.toContain(text)
  })
})

describe('a receiver that behaves badly', () => {
  const readReason = async (receiver: { port: number }, parts: Partial<EgressParts> = {}) => {
    const posted = await makeTestEgress(parts).post(buildUrl(receiver), MESSAGE)
    return posted.reached ? posted : posted.reason
  }

  it('is not running', async () => {
    const receiver = await startReceiver()
    await receiver.stop()
    expect(await readReason(receiver)).toBe('not_connected')
  })

  it('accepts the connection and stays silent', async () => {
    const receiver = await startReceiver()
    stops.push(receiver.stop)
    expect(await readReason(receiver, QUICK_CONNECT)).toBe('slow_connect')
    await until(async () => (await receiver.open()) === 0)
  })

  it('disconnects before and during the handshake', async () => {
    const resetting = await startReceiver({ onConnection: socket => socket.resetAndDestroy() })
    const closing = await startReceiver({ onConnection: socket => socket.end() })
    stops.push(resetting.stop, closing.stop)
    expect(await readReason(resetting)).toBe('not_connected')
    expect(await readReason(closing)).toBe('not_connected')
  })

  /** Doubles the time limit until the receiver reaches the expected point before the timeout. */
  const expectTooSlow = async (receiver: Receiver, hasReachedPoint: () => boolean) => {
    for (let total_ms = 500; total_ms < PATIENCE_MS && !hasReachedPoint(); total_ms *= 2) {
      expect(await readReason(receiver, { limits: { ...PATIENT_EGRESS, total_ms } })).toBe('slow_answer')
    }
    expect(hasReachedPoint()).toBe(true)
  }

  it('accepts the message and never responds', async () => {
    const receiver = await startTestReceiver()
    await expectTooSlow(receiver, () => receiver.received.includes('POST /hook HTTP/1.1'))
    await until(async () => (await receiver.open()) === 0)
  })

  it('responds byte by byte', async () => {
    let bytes = 0
    const receiver = await startTestReceiver(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const interval = setInterval(() => {
        socket.write('x')
        bytes += 1
      }, 20)
      socket.on('close', () => clearInterval(interval))
    })
    await expectTooSlow(receiver, () => bytes > 10)
    await until(async () => (await receiver.open()) === 0)
  })

  it.each([200, 500])('sends an endless response with %d: at most 64 KiB are read', async status => {
    let written = 0
    const receiver = await startTestReceiver(socket => {
      socket.write(`HTTP/1.1 ${status} Answer\r\n\r\n`)
      const writeAll = () => {
        do written += 16 * 1024
        while (socket.write('x'.repeat(16 * 1024)))
      }
      socket.on('drain', writeAll)
      writeAll()
    })
    expect(await readReason(receiver)).toEqual({
      reached: true,
      status,
      retry_after_s: null,
      start: 'x'.repeat(512),
    })
    await until(async () => (await receiver.open()) === 0)
    // The system's buffers on both sides come on top of the bytes that were read.
    expect(written).toBeLessThan(16 * MIB)
  })

  it('sends endless headers', async () => {
    const receiver = await startTestReceiver(socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const writeAll = () => {
        while (socket.write(`x-header: ${'x'.repeat(1000)}\r\n`));
      }
      socket.on('drain', writeAll)
      writeAll()
    })
    expect(await readReason(receiver)).toBe('broken')
    await until(async () => (await receiver.open()) === 0)
  })

  it.each([
    ['resets the connection', undefined],
    ['uses another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['switches protocols', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nokk'],
    ['sends 20 KiB of headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_480)}\r\ncontent-length: 0\r\n\r\n`],
    ['stops in the middle', 'HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\nok'],
  ])('%s', async (_case, answer) => {
    const receiver = await startTestReceiver(socket => {
      socket.once('data', () => (answer === undefined ? socket.destroy() : socket.end(answer)))
    })
    expect(await readReason(receiver)).toBe('broken')
  })
})

describe('the environment', () => {
  it('cannot redirect messages through a proxy', async () => {
    const proxy = await startReceiver()
    stops.push(proxy.stop)
    const names = [
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'ALL_PROXY',
      'https_proxy',
      'http_proxy',
      'all_proxy',
      'NODE_USE_ENV_PROXY',
    ]
    for (const name of names)
      process.env[name] = name.includes('USE') ? '1' : `http://127.0.0.1:${proxy.port}`
    try {
      expect(await makeTestEgress().post(sink.url, MESSAGE)).toMatchObject({ reached: true, status: 200 })
    } finally {
      for (const name of names) delete process.env[name]
    }
    expect(proxy.connections).toBe(0)
  })
})

it('returns a result even for a bug in this package', async () => {
  const faults: unknown[] = []
  const message = { headers: { 'webhook-id': 'a\nb' }, body: '' }
  const posted = await makeTestEgress({ onFault: error => faults.push(error) }).post(sink.url, message)
  expect(posted).toEqual({ reached: false, reason: 'broken' })
  expect(faults).toHaveLength(1)
})
