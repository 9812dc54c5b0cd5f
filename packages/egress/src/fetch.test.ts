import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DnsServer, startDnsServer } from '@waybill/testing/dns-server'
import { until } from '@waybill/testing/patience'
import { startReceiver } from '@waybill/testing/receivers'
import { makeTestCa, startHttpsSink, type TestCa } from '@waybill/testing/tls'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EgressParts, makeEgress } from './make.ts'
import { PATIENT_EGRESS, systemClock } from './patient.testing.ts'

const MIB = 1024 * 1024

let ca: TestCa
let dns: DnsServer
let server: Server
let url: string
const seen: { method: string; path: string; headers: Record<string, unknown>; body: string }[] = []
const answers: Record<string, (response: ServerResponse) => void> = {}
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ca = await makeTestCa()
})
beforeEach(async () => {
  seen.length = 0
  dns = await startDnsServer()
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    const answer = answers[path]
    if (answer) answer(response)
    else response.end('hello')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stops.push(dns.stop, () => close(server))
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const close = (one: Server) =>
  new Promise<void>(resolve => {
    one.closeAllConnections()
    one.close(() => resolve())
  })
const countConnections = () =>
  new Promise<number>(resolve => server.getConnections((_, count) => resolve(count)))

function makeTestEgress(parts: Partial<EgressParts> = {}) {
  return makeEgress({
    allow: [],
    dns_server: dns.address,
    operator_hosts: ['127.0.0.1', 'localhost', 'Issuer.internal'],
    user_agent: 'waybill/1.2.3',
    clock: systemClock,
    trusted_ca: ca.ca_pem,
    limits: PATIENT_EGRESS,
    ...parts,
  })
}

/** Waits until the value stays the same for many turns of the event loop. */
async function waitUntilUnchanged(read: () => number): Promise<void> {
  let last = Number.NaN
  await until(async () => {
    const before = last
    last = read()
    for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve))
    return read() === before
  })
}

describe('a host from the settings', () => {
  it('can be reached without TLS and on this machine, and its response is complete', async () => {
    const answer = await makeTestEgress().fetch(`${url}/a?b=c`, {
      headers: { accept: 'application/json', 'X-Own': '1' },
    })
    expect([answer.status, answer.ok, await answer.text()]).toEqual([200, true, 'hello'])
    expect(seen[0]).toMatchObject({ method: 'GET', path: '/a?b=c', body: '' })
    expect(seen[0]?.headers).toEqual({
      host: new URL(url).host,
      'user-agent': 'waybill/1.2.3',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-own': '1',
      connection: 'close',
    })
    await until(async () => (await countConnections()) === 0)
  })

  it.each<[string, RequestInit['body'], string, string | undefined]>([
    ['text', 'a=ü', 'a=ü', 'text/plain;charset=UTF-8'],
    ['bytes', Buffer.from('a=1'), 'a=1', undefined],
    ['a form', new URLSearchParams({ a: '1 2' }), 'a=1+2', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['nothing', null, '', undefined],
  ])('is sent %s', async (_kind, body, sent, type) => {
    await makeTestEgress().fetch(url, { method: 'POST', body: body ?? null })
    expect(seen[0]).toMatchObject({ method: 'POST', body: sent })
    expect(seen[0]?.headers['content-type']).toBe(type)
    expect(seen[0]?.headers['content-length']).toBe(String(Buffer.byteLength(sent)))
  })

  it('may have a name that only this machine knows, or one with a private address', async () => {
    const { port } = new URL(url)
    dns.names['issuer.internal'] = () => ['127.0.0.1']
    expect((await makeTestEgress().fetch(`http://localhost:${port}/`)).status).toBe(200)
    expect((await makeTestEgress().fetch(`http://issuer.INTERNAL:${port}/`)).status).toBe(200)
    expect(seen.map(({ headers }) => headers.host)).toEqual([`localhost:${port}`, `issuer.internal:${port}`])
    expect(dns.queries.some(answering => answering.endsWith('localhost'))).toBe(false)
  })

  it('uses TLS if its URL is https, and then needs a valid certificate', async () => {
    const sink = await startHttpsSink({ ca, names: ['127.0.0.1'] })
    stops.push(sink.stop)
    expect(await (await makeTestEgress().fetch(sink.url)).text()).toBe('ok')
    await expect(makeTestEgress().fetch(`https://localhost:${sink.port}`)).rejects.toMatchObject({
      reason: 'not_trusted',
    })
    expect(sink.requests).toHaveLength(1)
  })

  it.each([204, 304])('may respond with %d, without a body', async status => {
    answers['/empty'] = response => response.writeHead(status).end()
    const answer = await makeTestEgress().fetch(`${url}/empty`)
    expect([answer.status, answer.body]).toEqual([status, null])
    await until(async () => (await countConnections()) === 0)
  })

  it('may receive a HEAD request', async () => {
    answers['/head'] = response => response.writeHead(200, { 'content-length': '5' }).end()
    const answer = await makeTestEgress().fetch(`${url}/head`, { method: 'HEAD' })
    expect([answer.body, answer.headers.get('content-length')]).toEqual([null, '5'])
    await until(async () => (await countConnections()) === 0)
  })

  it('may send a large response, which is read only as fast as the caller consumes it', async () => {
    let written = 0
    answers['/much'] = response => {
      const writeAll = () => {
        while (written < 64 * MIB) {
          written += MIB
          if (!response.write(Buffer.alloc(MIB))) return void response.once('drain', writeAll)
        }
        response.end()
      }
      writeAll()
    }
    const answer = await makeTestEgress().fetch(`${url}/much`)
    let read = 0
    for await (const chunk of answer.body ?? []) {
      if (read === 0) {
        await waitUntilUnchanged(() => written)
        expect(written).toBeLessThan(32 * MIB)
      }
      read += chunk.length
    }
    expect(read).toBe(64 * MIB)
  })

  it('is disconnected when the caller cancels the response or does not read a small one', async () => {
    answers['/endless'] = response => {
      const writeAll = () => {
        while (response.write(Buffer.alloc(MIB)));
      }
      response.on('drain', writeAll)
      writeAll()
    }
    const answer = await makeTestEgress().fetch(`${url}/endless`)
    await answer.body?.cancel()
    await makeTestEgress().fetch(url)
    await until(async () => (await countConnections()) === 0)
  })
})

describe('a request that fails', () => {
  it.each([301, 302, 303, 307, 308])('received the redirect %d', async status => {
    answers['/moved'] = response => response.writeHead(status, { location: `${url}/there` }).end()
    for (const redirect of ['follow', 'manual', 'error'] as const) {
      const answering = makeTestEgress().fetch(`${url}/moved`, { redirect })
      await expect(answering).rejects.toMatchObject({ reason: 'redirected' })
    }
    expect(seen.map(({ path }) => path)).toEqual(Array(3).fill('/moved'))
  })

  it.each([
    ['http://127.0.0.2:PORT/', 'bad_address'],
    ['https://127.0.0.2:PORT/', 'bad_address'],
    ['http://hooks.example:PORT/', 'bad_address'],
    ['https://a.localhost:PORT/', 'bad_address'],
    ['https://rebound.example:PORT/', 'inner_address'],
    ['ftp://127.0.0.1:PORT/', 'bad_address'],
  ])('went to %s, which is not in the settings', async (address, reason) => {
    dns.names['rebound.example'] = () => ['127.0.0.1']
    const answering = makeTestEgress().fetch(address.replace('PORT', new URL(url).port))
    await expect(answering).rejects.toMatchObject({ reason })
    expect(seen).toEqual([])
  })

  it("reports the system's error code", async () => {
    const gone = await startReceiver()
    await gone.stop()
    const answering = makeTestEgress().fetch(`http://127.0.0.1:${gone.port}`)
    await expect(answering).rejects.toMatchObject({ reason: 'not_connected', code: 'ECONNREFUSED' })
  })

  it('received an invalid response', async () => {
    answers['/999'] = response => void response.writeHead(999).write('hello')
    await expect(makeTestEgress().fetch(`${url}/999`)).rejects.toMatchObject({ reason: 'broken' })
    await until(async () => (await countConnections()) === 0)
  })

  it('broke in the middle of the response', async () => {
    let half: ServerResponse | undefined
    answers['/broken'] = response => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      half = response
    }
    const answer = await makeTestEgress().fetch(`${url}/broken`)
    half?.destroy()
    await expect(answer.text()).rejects.toMatchObject({ reason: 'broken' })
  })

  it('timed out before the response, by the time limit or the signal', async () => {
    answers['/never'] = () => undefined
    const slow = makeTestEgress({ limits: { ...PATIENT_EGRESS, total_ms: 300 } }).fetch(`${url}/never`)
    await expect(slow).rejects.toMatchObject({ reason: 'slow_answer' })
    const signalled = makeTestEgress().fetch(`${url}/never`, { signal: AbortSignal.timeout(300) })
    await expect(signalled).rejects.toMatchObject({ name: 'TimeoutError' })
    await until(async () => (await countConnections()) === 0)
  })

  it('was aborted before it began, or in the middle of a response without a length', async () => {
    const before = makeTestEgress().fetch(url, { signal: AbortSignal.abort(new Error('never mind')) })
    await expect(before).rejects.toThrow('never mind')
    expect(seen).toEqual([])
    answers['/slow'] = response => {
      response.useChunkedEncodingByDefault = false
      response.writeHead(200).write('half')
    }
    const controller = new AbortController()
    const answer = await makeTestEgress().fetch(`${url}/slow`, { signal: controller.signal })
    const aborted = expect(answer.text()).rejects.toThrow('never mind')
    controller.abort(new Error('never mind'))
    await aborted
    await until(async () => (await countConnections()) === 0)
  })
})

describe('a plain connection', () => {
  it('is opened to a host from the settings and to no other', async () => {
    const receiver = await startReceiver({ onConnection: socket => socket.write('220 ready\r\n') })
    stops.push(receiver.stop)
    const socket = await makeTestEgress().connect('localhost', receiver.port)
    const greeting = await new Promise(resolve => socket.once('data', data => resolve(String(data))))
    expect(greeting).toBe('220 ready\r\n')
    socket.destroy()
    await expect(makeTestEgress().connect('127.0.0.2', receiver.port)).rejects.toMatchObject({
      reason: 'bad_address',
    })
    await expect(makeTestEgress().connect('mail.example', 25)).rejects.toMatchObject({
      reason: 'bad_address',
    })
    expect(receiver.connections).toBe(1)
  })
})
