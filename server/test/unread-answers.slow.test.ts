// Clients that ask for long responses and do not read them: what waits in memory is bounded for each of them and for
// all together, and others are served meanwhile. slow-clients.test.ts is about clients that send slowly.
import net from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { SMALL_BYTES } from '../src/domain/clients/room.ts'
import { CLIENT_LIMITS } from '../src/http/server.ts'
import { PATIENT_LIMITS, startTestApp, type TestApp, type TestOptions } from './harness.ts'
import { until } from './patience.ts'

const MIB = 1024 * 1024
const GREEDY = 40
const TRAILS = 64
/** Of each trail: the list has more than kernels buffer for one connection. */
const USER_DATA = { notes: 'n'.repeat(128 * 1024) }
const PATH = '/trails/acme/load?per_page=300'
const LIST_BYTES = TRAILS * 128 * 1024
const SMALL_ROOM = {
  WAYBILL_UNREAD_BYTES_PER_KEY: String(16 * MIB),
  WAYBILL_UNREAD_BYTES: String(32 * MIB),
}

let app: TestApp
let port: number
let sockets: net.Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await app.stop()
})

async function listen(options: TestOptions): Promise<void> {
  app = await startTestApp({ ...options, settings: { ...SMALL_ROOM, ...options.settings } })
  await app.member.put('/flows/acme', { name: 'load', description: '' })
  for (let i = 0; i < TRAILS; i++)
    await app.member.put('/trails/acme/load', { name: `trail-${i}`, user_data: USER_DATA })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.server.address() as net.AddressInfo).port
}

/** Asks, and reads only when it is told to. */
function ask(key: string | undefined, path = PATH): net.Socket {
  const socket = net.connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(
    `GET /api/v2${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n\r\n`,
  )
  return socket
}

async function read(socket: net.Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk)).resume()
  await new Promise(resolve => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

const counters = () => app.app.room.counters

async function readMetrics(): Promise<string> {
  return (await app.server.inject({ url: '/metrics' })).body
}

const WAITING_FOR_NOTHING = { clients: { ...PATIENT_LIMITS.clients, room_wait_ms: 1 } }

describe('a client that does not read its responses', () => {
  it('keeps no more in memory than it may, and the rest of its requests get 429 and Retry-After', async () => {
    await listen({ time_limits: WAITING_FOR_NOTHING })
    const greedy = Array.from({ length: GREEDY }, () => ask(app.reader.key))
    await until(() => counters().refused.client > 0 && counters().waiting === 0)
    let most = 0
    for (let i = 0; i < 20; i++) {
      expect((await app.member.get('/flows/acme')).status).toBe(200)
      most = Math.max(most, counters().bytes)
    }
    expect(most).toBeLessThanOrEqual(16 * MIB + SMALL_BYTES)
    const refused = await Promise.race(
      greedy.map(async socket => {
        const text = await read(socket)
        if (text.startsWith('HTTP/1.1 429')) return text
        return new Promise<string>(() => undefined)
      }),
    )
    expect(refused).toMatch(/retry-after: 2\r\n.*"message":"Earlier responses to you have not been read yet/s)
    expect(await readMetrics()).toMatch(/waybill_unread_refused_total\{bound="client"\} [1-9]/)
  })

  it('gets the rest as soon as it reads, and everything is freed in the end', async () => {
    await listen({})
    const greedy = Array.from({ length: GREEDY }, () => ask(app.reader.key))
    await until(() => counters().waiting > 0 && counters().bytes > 0)
    const texts = await Promise.all(greedy.map(read))
    expect(texts.map(text => [text.slice(9, 12), text.length > LIST_BYTES])).toEqual(
      Array.from({ length: GREEDY }, () => ['200', true]),
    )
    await until(() => counters().bytes === 0)
    expect(counters()).toEqual({ bytes: 0, waiting: 0, refused: { client: 0, process: 0 } })
    expect(await readMetrics()).toContain('waybill_unread_bytes 0')
  })

  it('frees what it kept when it disconnects', async () => {
    await listen({})
    const greedy = Array.from({ length: GREEDY }, () => ask(app.reader.key))
    await until(() => counters().waiting > 0 && counters().bytes > 0)
    for (const socket of greedy) socket.destroy()
    await until(() => counters().bytes === 0 && counters().waiting === 0)
  })

  it('still gets short responses', async () => {
    await listen({})
    expect((await app.reader.get('/flows/acme')).status).toBe(200)
    for (let i = 0; i < GREEDY; i++) ask(app.reader.key)
    await until(() => counters().waiting > 0)
    expect((await app.reader.get('/flows/acme')).status).toBe(200)
  })
})

describe('many clients that do not read their responses', () => {
  it('together keep no more in memory than they may; the next gets 503, and short responses go on', async () => {
    await listen({ time_limits: WAITING_FOR_NOTHING })
    expect((await app.member.get('/flows/acme')).status).toBe(200)
    const clients = [app.admin, app.member, app.snapshotter, app.reader]
    for (const { key } of clients) for (let i = 0; i < GREEDY / clients.length; i++) ask(key)
    await until(() => counters().refused.process > 0 && counters().waiting === 0)
    expect(counters().bytes).toBeLessThanOrEqual(32 * MIB + SMALL_BYTES)
    for (const client of clients) expect((await client.get('/flows/acme')).status).toBeLessThan(500)
  })
})

describe('a client that reads too slowly', () => {
  it('is disconnected after a period below the minimum rate, and what it kept is freed', async () => {
    await listen({ time_limits: { clients: { ...PATIENT_LIMITS.clients, check_every_ms: 20 } } })
    ask(app.reader.key)
    await until(() => counters().bytes > 0)
    await until(() => {
      app.clock.advance(CLIENT_LIMITS.pace_ms)
      return counters().bytes === 0
    })
    expect(await readMetrics()).toContain('waybill_slow_clients_ended_total{side="reader"} 1')
  })
})

describe('a long response', () => {
  it('has the bytes and the length that it always had, also compressed', async () => {
    await listen({})
    const plain = await app.reader.get(PATH)
    expect(plain.headers['content-length']).toBe(String(plain.bytes?.length))
    expect(plain.text).toBe(JSON.stringify(plain.body))
    expect(plain.body.data).toHaveLength(TRAILS)
    const packed = await app.server.inject({
      url: `/api/v2${PATH}`,
      headers: { authorization: `Bearer ${app.reader.key}`, 'accept-encoding': 'gzip' },
    })
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'content-length': String(packed.rawPayload.length),
    })
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.text)
    const head = await app.server.inject({
      method: 'HEAD',
      url: `/api/v2${PATH}`,
      headers: { authorization: `Bearer ${app.reader.key}` },
    })
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      plain.headers['content-length'],
    ])
  })
})
