// Clients that are slow on purpose, with short time limits: they are cut off, and delay neither other clients nor a
// stop. shutdown.slow.test.ts stops the program itself.
import http from 'node:http'
import net from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CLIENT_LIMITS } from '../src/http/server.ts'
import { computeHandlerLimit } from '../src/http/time-limits.ts'
import { PATIENT_LIMITS, startTestApp, type TestApp, type TestOptions } from './harness.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { call } from './service.ts'

const OF_EACH_KIND = 50
const PATH = '/api/v2/trails/acme/load'
const HEAD = `PUT ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
const SHORT_LIMITS = {
  headers_ms: 200,
  pace_ms: 200,
  silent_ms: 200,
  handler_ms: PATIENCE_MS,
  keep_alive_ms: 200,
  check_every_ms: 50,
  room_wait_ms: PATIENCE_MS,
}

let app: TestApp
afterEach(() => app.stop())

async function listen(time_limits: NonNullable<TestOptions['time_limits']>): Promise<number> {
  app = await startTestApp({ time_limits })
  await app.member.put('/flows/acme', { name: 'load', description: '' })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.server.address() as net.AddressInfo).port
}

interface SlowClient {
  received(): string
  send(text: string): void
  closed: Promise<unknown>
  isClosed(): boolean
  leave(): void
}

/** Sends the beginning, and closes only when the server does. */
function connectSlowly(port: number, beginning: string): SlowClient {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  socket.setEncoding('utf8').on('data', text => {
    received += text
  })
  socket.on('error', () => undefined)
  socket.on('end', () => socket.end())
  socket.write(beginning)
  const closed = new Promise(resolve => socket.once('close', resolve))
  return {
    received: () => received,
    send: text => void socket.write(text),
    closed,
    isClosed: () => socket.closed,
    leave: () => void socket.destroy(),
  }
}

const buildHead = (length: number) =>
  `${HEAD}authorization: Bearer ${app.member.key}\r\ncontent-length: ${length}\r\n`

/** Three clients: before its request, within its headers, within its body. */
const listBeginnings = () => ['', HEAD, `${buildHead(1000)}\r\n `]

const countConnections = () =>
  new Promise<number>(resolve => app.server.server.getConnections((_, count) => resolve(count)))

/** Whether nothing listens on the port. */
const isRefused = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })

async function beginTrail(port: number, name: string): Promise<number> {
  const agent = new http.Agent({ keepAlive: false })
  return (await call({ port, agent }, 'PUT', PATH, { key: app.member.key, body: { name } })).status
}

describe('slow clients', () => {
  it('are cut off at any stage of a request', async () => {
    const port = await listen({ clients: SHORT_LIMITS })
    const slow = Array.from({ length: OF_EACH_KIND }, () =>
      listBeginnings().map(kind => connectSlowly(port, kind)),
    ).flat()
    await Promise.all(slow.map(({ closed }) => closed))
    expect(slow).toHaveLength(3 * OF_EACH_KIND)
    await until(async () => (await countConnections()) === 0)
  })

  it('are kept within the limits, and others are served meanwhile', async () => {
    const port = await listen({ finish_ms: 200 })
    const slow = Array.from({ length: OF_EACH_KIND }, () =>
      listBeginnings().map(kind => connectSlowly(port, kind)),
    ).flat()
    await until(async () => (await countConnections()) === 3 * OF_EACH_KIND)
    for (let i = 0; i < 50; i++) expect(await beginTrail(port, `other-${i}`)).toBe(201)
    expect(slow.filter(({ isClosed }) => isClosed())).toEqual([])
  })

  it('have 15 s for their headers, 25 s for their share of bytes, 25 s without one and 72 s between requests', async () => {
    const { headers_ms, pace_ms, silent_ms, keep_alive_ms } = CLIENT_LIMITS
    expect([headers_ms, pace_ms, silent_ms, keep_alive_ms]).toEqual([15_000, 25_000, 25_000, 72_000])
    await listen({
      clients: {
        ...PATIENT_LIMITS.clients,
        headers_ms: 1_000,
        pace_ms: 2_000,
        silent_ms: 3_000,
        keep_alive_ms: 4_000,
      },
    })
    const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = app.server.server
    const in_force = [headersTimeout, requestTimeout, timeout, keepAliveTimeout]
    // A body may take as long as its rate is sufficient.
    expect(in_force).toEqual([1_000, 0, 3_000, 4_000])
  })
})

const CLIENTS = PATIENT_LIMITS.clients

/** Runs the work while no request can read a flow. */
async function withLockedFlows(work: () => Promise<void>): Promise<void> {
  await app.owner.query('begin')
  try {
    await app.owner.query('lock table flows in access exclusive mode')
    await work()
  } finally {
    await app.owner.query('rollback')
  }
}

const waitForLock = () =>
  until(async () => {
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return (await app.sql(waits)).length > 0
  })

describe('each phase of a request has its own limit', () => {
  it('a client that is silent within its body gets 408', async () => {
    const port = await listen({ clients: { ...CLIENTS, silent_ms: 200 } })
    const client = connectSlowly(port, `${buildHead(1000)}\r\n `)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 .*"The request took too long to arrive"\}$/s)
  })

  it('a request that the server works on gets its response, although its connection is silent for longer', async () => {
    const port = await listen({ clients: { ...CLIENTS, silent_ms: 200 } })
    const silences = vi.fn()
    app.server.server.on('timeout', silences)
    let answer: Promise<number> | undefined
    await withLockedFlows(async () => {
      answer = beginTrail(port, 'slow')
      answer.catch(() => undefined)
      await waitForLock()
      await until(() => silences.mock.calls.length > 0)
    })
    expect(await answer).toBe(201)
  })

  it('a handler that takes too long gets 503 and Retry-After', async () => {
    const port = await listen({ clients: { ...CLIENTS, handler_ms: 200 } })
    await withLockedFlows(async () => {
      const target = { port, agent: new http.Agent({ keepAlive: false }) }
      const { status, headers, text } = await call(target, 'PUT', PATH, {
        key: app.member.key,
        body: { name: 'late' },
      })
      expect([status, headers['retry-after'], JSON.parse(text)]).toEqual([
        503,
        '5',
        {
          message:
            'The server did not finish the request within 0.2 s, its limit for a request of this size; send less at once, or try again, with the same Idempotency-Key if it had one',
        },
      ])
    })
  })

  it('the limit of a handler is 50 s, and up to five times as long for a large request', async () => {
    const sizes = [0, 4, 16, 1_000].map(mebibytes => mebibytes * 1024 * 1024)
    expect(sizes.map(bytes => computeHandlerLimit(CLIENT_LIMITS.handler_ms, bytes))).toEqual([
      50_000, 100_000, 250_000, 250_000,
    ])
    const port = await listen({ clients: { ...CLIENTS, handler_ms: 200 } })
    const half_a_mebibyte = JSON.stringify({ name: 'large' }).padEnd(512 * 1024)
    await withLockedFlows(async () => {
      const client = connectSlowly(port, `${buildHead(half_a_mebibyte.length)}\r\n${half_a_mebibyte}`)
      await until(() => client.received().includes('}'))
      expect(client.received()).toMatch(
        /^HTTP\/1\.1 503 .*did not finish the request within 0\.225 s, its limit/s,
      )
    })
  })
})

/** Lets time pass, and waits until the paces of all clients have been judged at the new time. */
async function pass(ms: number): Promise<void> {
  app.clock.advance(ms)
  const looks = vi.spyOn(app.clock, 'monotonic_ms')
  // The first look may have begun before.
  await until(() => looks.mock.calls.length >= 2)
  looks.mockRestore()
}

const countEnded = async () => {
  const { body } = await app.server.inject({ url: '/metrics' })
  return Number(/waybill_slow_clients_ended_total\{side="sender"\} (\d+)/.exec(body)?.[1])
}

describe('a body that arrives slowly', () => {
  const SHARE = (CLIENT_LIMITS.pace_ms / 1000) * 16 * 1024
  const body = JSON.stringify({ name: 'patient' }).padEnd(2 * SHARE + 1)
  /** Sends a part, and waits until it has arrived. */
  const sendPart = async (client: SlowClient, sockets: net.Socket[], text: string) => {
    const before = sockets.at(-1)?.bytesRead ?? 0
    client.send(text)
    await until(() => (sockets.at(-1)?.bytesRead ?? 0) >= before + text.length)
  }
  const begin = async (limits = {}) => {
    const port = await listen({ clients: { ...CLIENTS, check_every_ms: 20, ...limits } })
    const sockets: net.Socket[] = []
    app.server.server.on('connection', socket => sockets.push(socket))
    const client = connectSlowly(port, `${buildHead(body.length)}\r\n`)
    await until(() => (sockets[0]?.bytesRead ?? 0) > 0)
    return { client, sockets }
  }

  it('is accepted if it keeps the minimum rate, however long that takes', async () => {
    const { client, sockets } = await begin()
    await sendPart(client, sockets, body.slice(0, SHARE))
    await pass(CLIENT_LIMITS.pace_ms)
    await sendPart(client, sockets, body.slice(SHARE, 2 * SHARE))
    await pass(CLIENT_LIMITS.pace_ms)
    expect(client.isClosed()).toBe(false)
    client.send(body.slice(2 * SHARE))
    await until(() => client.received().includes('HTTP/1.1 201 '))
    expect(await countEnded()).toBe(0)
  })

  it('does not count as work of the handler', async () => {
    const { client, sockets } = await begin({ handler_ms: 20 })
    await sendPart(client, sockets, ' ')
    // Each waits for two looks, which come as often as the handler's limit.
    for (let i = 0; i < 10; i++) await pass(0)
    expect(client.received()).toBe('')
    // The stop would wait for its body.
    client.leave()
  })

  it('gets 408 below the minimum rate, although the client is never silent', async () => {
    const { client, sockets } = await begin()
    await sendPart(client, sockets, body.slice(0, SHARE / 2))
    await pass(CLIENT_LIMITS.pace_ms)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 .*"The request took too long to arrive"\}$/s)
    expect(await countEnded()).toBe(1)
  })
})

describe('a stop', () => {
  it('waits for a running request, but not for the connection that it leaves open', async () => {
    const port = await listen({ finish_ms: PATIENCE_MS })
    const body = JSON.stringify({ name: 'begun' })
    const client = connectSlowly(port, `${buildHead(body.length)}expect: 100-continue\r\n\r\n`)
    await until(() => client.received().startsWith('HTTP/1.1 100 '))
    let is_over = false
    const stopping = app.app.stop().then(() => {
      is_over = true
    })
    await until(() => isRefused(port))
    expect(is_over).toBe(false)
    client.send(body)
    await stopping
    await client.closed
    expect(client.received()).toContain('HTTP/1.1 201 ')
    expect(await app.sql(`select name from trails where name = 'begun'`)).toHaveLength(1)
  })

  it('cuts off clients that never finish', async () => {
    const port = await listen({ finish_ms: 200 })
    const slow = listBeginnings().map(kind => connectSlowly(port, kind))
    await until(async () => (await countConnections()) === slow.length)
    await app.app.stop()
    await Promise.all(slow.map(({ closed }) => closed))
  })
})
