// Signals. A stop finishes running requests and leaves nothing running, and a slow client cannot keep the program
// from ending. The cases run concurrently; slow-clients.test.ts covers slow clients.
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from './patience.ts'
import {
  call,
  collectOutput,
  connectOwner,
  findFreePort,
  killPostmaster,
  makeDataDirectory,
  readPostmasterPid,
  type Service,
  spawnProgram,
  startService,
  waitForEnd,
} from './service.ts'

const QUIET = { WAYBILL_LOG_LEVEL: 'error' }
const WRITERS = 6
const BEGUN = 6
const HEAD = 'PUT /api/v2/trails/demo-org/load HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
const CLEAN = { code: 0, signal: null }

describe.concurrent('signals', () => {
  it('SIGTERM and SIGINT under load: requests finish, exit 0, no PostgreSQL left running', async ({
    expect,
  }) => {
    const data_dir = makeDataDirectory()
    let key: string | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await startService({ data_dir, env: QUIET })
      key ??= service.key
      await putFlow(service, key)
      const load = startLoad(service, key, signal)
      await until(() => load.acknowledged.length > 50)
      const names = Array.from({ length: BEGUN }, (_, i) => `${signal}-begun-${i}`)
      const begun = await Promise.all(names.map(name => beginUpload(service, key, name)))
      expect(load.lost).toEqual([])
      service.signal(signal)
      service.signal(signal)
      // The service is stopping and accepts no new connections.
      await until(() => load.lost.length > 0)
      const answers = await Promise.all(begun.map(({ finish }) => finish()))
      const ending = await service.ended
      load.stop()
      await load.finished
      expect(ending).toEqual(CLEAN)
      for (const answer of answers) expect(answer).toMatch(/\r\nHTTP\/1\.1 201 /)
      expect(new Set(load.statuses)).toEqual(new Set([201]))
      expect(readPostmasterPid(data_dir)).toBeUndefined()
      await expectStored(data_dir, [...load.acknowledged, ...names])
    }
  })

  it('SIGTERM while a client sends slowly: cut off, exit 0, no PostgreSQL left running', async ({
    expect,
  }) => {
    const data_dir = makeDataDirectory()
    const service = await startService({ data_dir, env: QUIET })
    const slow_requests = [
      sendSlowly(service, HEAD),
      sendSlowly(service, buildHead(service, 1000)),
      sendSlowly(service, ''),
    ]
    await Promise.all(slow_requests.map(({ connected }) => connected))
    // Connections are accepted in order, so a response on a later one means that the others were accepted.
    await call({ port: service.port, agent: new http.Agent() }, 'GET', '/healthz', {})
    service.signal('SIGTERM')
    expect(await service.ended).toEqual(CLEAN)
    await Promise.all(slow_requests.map(({ closed }) => closed))
    expect(readPostmasterPid(data_dir)).toBeUndefined()
  })

  it('SIGTERM during a start: exit 0, no PostgreSQL left running', async ({ expect }) => {
    const data_dir = makeDataDirectory()
    const child = spawnProgram(['serve'], { PORT: String(await findFreePort()) }, data_dir)
    const output = collectOutput(child)
    const ended = waitForEnd(child)
    await until(() => readPostmasterPid(data_dir) !== undefined)
    child.kill('SIGTERM')
    expect(await ended, output.stderr()).toEqual(CLEAN)
    expect(readPostmasterPid(data_dir)).toBeUndefined()
  })
})

interface Load {
  acknowledged: string[]
  statuses: number[]
  /** Requests without a response. */
  lost: string[]
  stop(): void
  finished: Promise<unknown>
}

/** Every request has its own connection, so an error means that the request was not accepted. */
function startLoad(service: Service, key: string | undefined, prefix: string): Load {
  const acknowledged: string[] = []
  const statuses: number[] = []
  const lost: string[] = []
  let stopping = false
  const agent = new http.Agent({ keepAlive: false })
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const name = `${prefix}-${writer}-${i}`
      try {
        const target = { port: service.port, agent }
        const { status } = await call(target, 'PUT', '/api/v2/trails/demo-org/load', { key, body: { name } })
        statuses.push(status)
        if (status === 201) acknowledged.push(name)
      } catch (error) {
        lost.push(`${name}: ${error}`)
        await sleep(20)
      }
    }
  })
  return {
    acknowledged,
    statuses,
    lost,
    stop: () => {
      stopping = true
    },
    finished: Promise.all(writers),
  }
}

/** Starts a request whose body is sent by `finish`, which resolves with everything received. */
async function beginUpload(
  service: Service,
  key: string | undefined,
  name: string,
): Promise<{ finish(): Promise<string> }> {
  const body = JSON.stringify({ name, description: 'x'.repeat(20) })
  const socket = net.connect(service.port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', text => {
    answer += text
  })
  socket.on('error', () => undefined)
  const closed = new Promise(resolve => socket.once('close', resolve))
  const head = `${HEAD}authorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n`
  socket.write(`${head}expect: 100-continue\r\n\r\n`)
  await until(() => answer.startsWith('HTTP/1.1 100 '))
  return {
    finish: async () => {
      for (let sent = 0; sent < body.length; sent += 5) socket.write(body.slice(sent, sent + 5))
      await closed
      return answer
    },
  }
}

function buildHead(service: Service, length: number): string {
  return `${HEAD}authorization: Bearer ${service.key}\r\ncontent-length: ${length}\r\n\r\n`
}

/** Sends the beginning and then a little every second, until the server closes the connection. */
function sendSlowly(
  service: Service,
  beginning: string,
): { connected: Promise<unknown>; closed: Promise<unknown> } {
  const socket = net.connect(service.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  if (beginning !== '') socket.write(beginning)
  const timer = setInterval(() => {
    if (beginning !== '' && socket.writable) socket.write(' ')
  }, 1000)
  const connected = new Promise(resolve => socket.once('connect', resolve))
  const closed = new Promise(resolve =>
    socket.once('close', () => {
      clearInterval(timer)
      resolve(undefined)
    }),
  )
  return { connected, closed }
}

async function putFlow(service: Service, key: string | undefined): Promise<void> {
  const body = { name: 'load', description: '' }
  const { status } = await service.call('PUT', '/api/v2/flows/demo-org', { key, body })
  expect([200, 201]).toContain(status)
}

/** Checks the database after the next start. */
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
