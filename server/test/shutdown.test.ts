// Signals and slow clients. A stop finishes what was begun and leaves nothing running; a client that is slow
// on purpose is cut off and holds up neither the others nor the stop. The cases wait side by side.
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import {
  call,
  collectOutput,
  connectOwner,
  endingOf,
  freePort,
  killPostmaster,
  newDatabase,
  newDataDirectory,
  postmasterPid,
  type Service,
  spawnProgram,
  startService,
} from './service.ts'

const QUIET = { WAYBILL_LOG_LEVEL: 'error' }
const WRITERS = 6
const STOP_WITHIN_MS = 30_000
const SLOW_OF_EACH_KIND = 50
const SLOW_CLOSED_WITHIN_MS = 30_000
const HEAD = 'PUT /api/v2/trails/demo-org/load HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
const CLEAN = { code: 0, signal: null }

describe.concurrent('signals', () => {
  it('SIGTERM and SIGINT under load: requests finish, exit 0, no PostgreSQL left', async ({ expect }) => {
    const data_dir = newDataDirectory()
    let key: string | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await startService({ data_dir, env: QUIET })
      key ??= service.key
      await putFlow(service, key)
      const load = startLoad(service, key, signal)
      await until(() => load.acknowledged.length > 50)
      const slow = slowUpload(service, key, `${signal}-slow`)
      await sleep(200)
      const signalled_ms = performance.now()
      service.signal(signal)
      service.signal(signal)
      const ending = await service.ended
      const stopped_ms = performance.now()
      load.stop()
      await load.finished
      expect(ending).toEqual(CLEAN)
      // The upload needs two seconds more; the connection it leaves open must not add the time of a slow client's.
      expect(stopped_ms - signalled_ms).toBeLessThan(15_000)
      expect(await slow).toMatch(/^HTTP\/1\.1 201 /)
      expect(load.lostBefore(signalled_ms)).toEqual([])
      expect(new Set(load.statuses)).toEqual(new Set([201]))
      expect(postmasterPid(data_dir)).toBeUndefined()
      await expectStored(data_dir, [...load.acknowledged, `${signal}-slow`])
    }
  })

  it('SIGTERM while a client dribbles: cut off, exit 0, no PostgreSQL left', async ({ expect }) => {
    const data_dir = newDataDirectory()
    const service = await startService({ data_dir, env: QUIET })
    const dribbles = [dribble(service, HEAD), dribble(service, keyed(service, 1000)), dribble(service, '')]
    await sleep(1500)
    const signalled_ms = performance.now()
    service.signal('SIGTERM')
    expect(await service.ended).toEqual(CLEAN)
    expect(performance.now() - signalled_ms).toBeLessThan(STOP_WITHIN_MS)
    await Promise.all(dribbles.map(({ closed }) => closed))
    expect(postmasterPid(data_dir)).toBeUndefined()
  })

  it('SIGTERM in the middle of a start: exit 0, no PostgreSQL left', async ({ expect }) => {
    const data_dir = newDataDirectory()
    const child = spawnProgram(['serve'], { PORT: String(await freePort()) }, data_dir)
    const output = collectOutput(child)
    const ended = endingOf(child)
    await until(() => postmasterPid(data_dir) !== undefined)
    child.kill('SIGTERM')
    expect(await ended, output.stderr()).toEqual(CLEAN)
    expect(postmasterPid(data_dir)).toBeUndefined()
  })

  it('slow clients are cut off within 30 s while others are served', async ({ expect }) => {
    const { url } = await newDatabase()
    const service = await startService({ data_dir: newDataDirectory(), env: { ...QUIET, DATABASE_URL: url } })
    await putFlow(service, service.key)
    const begun_ms = performance.now()
    const slow = Array.from({ length: SLOW_OF_EACH_KIND }, () => [
      dribble(service, ''),
      dribble(service, HEAD, 'x-filler: a\r\n'),
      dribble(service, keyed(service, 1000), ' '),
    ]).flat()
    const closed = Promise.all(slow.map(client => client.closed))
    const others = serveOthers(service, closed)
    const times_ms = (await closed).map(at_ms => at_ms - begun_ms)
    expect(slow).toHaveLength(3 * SLOW_OF_EACH_KIND)
    expect(Math.max(...times_ms)).toBeLessThan(SLOW_CLOSED_WITHIN_MS)
    expect(Math.min(...times_ms)).toBeGreaterThan(5_000)
    const served = await others
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([201]))
    expect(served.length).toBeGreaterThan(50)
    expect(Math.max(...served.map(({ took_ms }) => took_ms))).toBeLessThan(5_000)
    service.signal('SIGTERM')
    expect(await service.ended).toEqual(CLEAN)
  })
})

interface Load {
  acknowledged: string[]
  statuses: number[]
  /** Requests begun clearly before the moment that got no answer. */
  lostBefore(moment_ms: number): string[]
  stop(): void
  finished: Promise<unknown>
}

/** Every request on a connection of its own, so that an error means a request that was not taken. */
function startLoad(service: Service, key: string | undefined, prefix: string): Load {
  const acknowledged: string[] = []
  const statuses: number[] = []
  const lost: { begun_ms: number; name: string }[] = []
  let stopping = false
  const agent = new http.Agent({ keepAlive: false })
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const name = `${prefix}-${writer}-${i}`
      const begun_ms = performance.now()
      try {
        const target = { port: service.port, agent }
        const { status } = await call(target, 'PUT', '/api/v2/trails/demo-org/load', { key, body: { name } })
        statuses.push(status)
        if (status === 201) acknowledged.push(name)
      } catch (error) {
        lost.push({ begun_ms, name: `${name}: ${error}` })
        await sleep(20)
      }
    }
  })
  return {
    acknowledged,
    statuses,
    lostBefore: moment_ms => lost.filter(({ begun_ms }) => begun_ms < moment_ms - 50).map(({ name }) => name),
    stop: () => {
      stopping = true
    },
    finished: Promise.all(writers),
  }
}

/** A request whose body takes two seconds to arrive; resolves with everything that was answered. */
async function slowUpload(service: Service, key: string | undefined, name: string): Promise<string> {
  const body = JSON.stringify({ name, description: 'x'.repeat(20) })
  const socket = net.connect(service.port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', text => {
    answer += text
  })
  socket.on('error', () => undefined)
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write(`${HEAD}authorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n`)
  for (let sent = 0; sent < body.length; sent += 5) {
    socket.write(body.slice(sent, sent + 5))
    await sleep(150)
  }
  await closed
  return answer
}

function keyed(service: Service, length: number): string {
  return `${HEAD}authorization: Bearer ${service.key}\r\ncontent-length: ${length}\r\n\r\n`
}

/** Sends the beginning and then a little every second, for as long as the server lets it. */
function dribble(service: Service, beginning: string, more = ''): { closed: Promise<number> } {
  const socket = net.connect(service.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  if (beginning !== '') socket.write(beginning)
  const timer = setInterval(() => {
    if (beginning !== '' && socket.writable) socket.write(more || ' ')
  }, 1000)
  const closed = new Promise<number>(resolve =>
    socket.once('close', () => {
      clearInterval(timer)
      resolve(performance.now())
    }),
  )
  return { closed }
}

async function serveOthers(service: Service, until_settled: Promise<unknown>) {
  const served: { status: number; took_ms: number }[] = []
  let over = false
  until_settled.finally(() => {
    over = true
  })
  for (let i = 0; !over; i++) {
    const begun_ms = performance.now()
    const body = { name: `other-${i}` }
    const path = '/api/v2/trails/demo-org/load'
    const { status } = await service.call('PUT', path, { key: service.key, body })
    served.push({ status, took_ms: performance.now() - begun_ms })
    await sleep(100)
  }
  return served
}

async function putFlow(service: Service, key: string | undefined): Promise<void> {
  const body = { name: 'load', description: '' }
  const { status } = await service.call('PUT', '/api/v2/flows/demo-org', { key, body })
  expect([200, 201]).toContain(status)
}

/** Looked up in the database that the next start brings up. */
async function expectStored(data_dir: string, names: string[]): Promise<void> {
  const service = await startService({ data_dir, env: QUIET })
  const owner = await connectOwner(data_dir)
  const stored = new Set((await owner.query('select name from trails')).rows.map(row => row.name))
  await owner.end()
  expect(names.filter(name => !stored.has(name))).toEqual([])
  service.signal('SIGKILL')
  await service.ended
  killPostmaster(data_dir, 'SIGQUIT')
}
