// A fleet as an orchestrator runs it: two processes that serve and two that work, on one PostgreSQL, behind a
// round-robin load balancer. The tests follow it from the first start to the end, in this order.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { type Balancer, startBalancer } from '@waybill/testing/balancer'
import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport } from './environments.ts'
import { until } from './patience.ts'
import { expectReadmeOutput, runReadme } from './readme.ts'
import {
  type Answer,
  addCleanUp,
  call,
  createDatabase,
  findFreePort,
  makeScratchFolder,
  type Service,
  startService,
} from './service.ts'

const CLEAN = { code: 0, signal: null }
/** Far longer than the test: the second signal ends the drain, so that nothing depends on the speed of the machine. */
const DRAIN_SECONDS = '3600'
const EVENTS = 40
const WRITERS = 2
const NO_WORKERS = /^OK\nwarning: no worker has been seen for \d+ s; notifications and evaluations wait$/

interface Member {
  service: Service
  /** The address of its health and metrics. */
  health_port: number
  start(): Promise<Service>
}

let sink: HttpsSink
let owner: pg.Client
let serving: Member[]
let working: Member[]
let balancer: Balancer
let key: string

beforeAll(async () => {
  sink = await startHttpsSink()
  addCleanUp(() => sink.stop())
  const database = await createDatabase()
  owner = database.owner
  const ca_file = join(makeScratchFolder(), 'ca.pem')
  writeFileSync(ca_file, sink.ca_pem)
  const env = {
    DATABASE_URL: database.url,
    NODE_EXTRA_CA_CERTS: ca_file,
    WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
    WAYBILL_EVIDENCE_URL: `file://${makeScratchFolder()}`,
    WAYBILL_SECRET_KEY: 'a secret key of the tests, long enough',
    WAYBILL_LOG_LEVEL: 'warn',
    WAYBILL_DRAIN_SECONDS: DRAIN_SECONDS,
  }
  // All at once, on an empty database.
  const members = await Promise.all(['serve', 'serve', 'work', 'work'].map(role => startMember(role, env)))
  serving = members.slice(0, 2)
  working = members.slice(2)
  key = members.map(({ service }) => service.key).find(printed => printed !== undefined) ?? ''
  balancer = await startBalancer({ ports: serving.map(({ service }) => service.port) })
  addCleanUp(() => balancer.stop())
  await until(() => balancer.ready.size === 2)
})

async function startMember(role: string, env: Record<string, string>): Promise<Member> {
  const [port, health_port] = [await findFreePort(), await findFreePort()]
  const data_dir = makeScratchFolder()
  const settings = { ...env, WAYBILL_ROLE: role, WAYBILL_METRICS_PORT: String(health_port) }
  const start = () => startService({ data_dir, port, env: settings })
  return { service: await start(), health_port, start }
}

const agent = new http.Agent({ keepAlive: true })
addCleanUp(() => agent.destroy())
const ask = (method: string, path: string, options = {}) =>
  call({ port: balancer.port, agent }, method, path, options)
const readHealth = ({ health_port }: Member, path: string) =>
  call({ port: health_port, agent: new http.Agent() }, 'GET', path, {})

async function put(path: string, body: unknown): Promise<Answer> {
  const answer = await ask('PUT', `/api/v2${path}`, { key, body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer
}

/** The ids of the deliveries with this status, which receivers get as `webhook-id`. */
async function listIds(status: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/v2/notification-deliveries/demo-org?status=${status}${cursor}`
    const { deliveries, next } = JSON.parse((await ask('GET', path, { key })).text)
    for (const { id } of deliveries) ids.push(id)
    if (next === null) return ids
    cursor = `&cursor=${next}`
  }
}

describe('a fleet', () => {
  it('shows every process and the number of workers at the ports for health and metrics', async () => {
    for (const member of [...serving, ...working]) {
      expect((await readHealth(member, '/healthz')).text).toBe('OK')
      await until(async () => (await readHealth(member, '/ready')).text === 'OK')
      await until(async () => /^waybill_workers 2$/m.test((await readHealth(member, '/metrics')).text))
    }
    const [worker] = working
    expect(worker?.service.stdout().split('\n')[0]).toBe(
      `Waybill is ready: working the outbox, health and metrics at http://127.0.0.1:${worker?.health_port}`,
    )
  })

  it('runs the README, whichever process each call reaches', async () => {
    expectReadmeOutput(await runReadme(balancer.port, key))
    for (const { service } of serving) expect(balancer.sent.get(service.port)).toBeGreaterThan(10)
  })

  it('refuses a key at one process after the other revoked it, and the key cannot create another', async () => {
    const [a, b] = serving.map(({ service }) => service) as [Service, Service]
    const made = await a.call('POST', '/api/v2/user/api-keys', { key, body: { description: 'short' } })
    const { id, key: revoked } = JSON.parse(made.text)
    for (const { call } of [a, b]) {
      expect((await call('GET', '/api/v2/flows/demo-org', { key: revoked })).status).toBe(200)
    }
    expect((await a.call('DELETE', `/api/v2/user/api-keys/${id}`, { key })).status).toBe(200)
    const body = { description: 'lasting' }
    expect((await b.call('POST', '/api/v2/user/api-keys', { key: revoked, body })).status).toBe(401)
    await until(async () => (await b.call('GET', '/api/v2/flows/demo-org', { key: revoked })).status === 401)
    const keys = JSON.parse((await a.call('GET', '/api/v2/user/api-keys', { key })).text)
    expect(keys.filter(({ description }: typeof body) => description === 'lasting')).toEqual([])
  })

  it('records every message as delivered once, although a worker is killed with messages under way', async () => {
    await put('/environments/demo-org', { name: 'fleet', type: 'K8S', description: '' })
    await put('/organizations/demo-org/environments_notifications', {
      name: 'fleet',
      environments: ['fleet'],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: `${sink.url}/hook` }],
    })
    const already = new Set(await listIds('delivered'))
    const received: string[] = []
    const accepted: string[] = []
    let open: () => void = () => undefined
    const opened = new Promise<void>(resolve => {
      open = resolve
    })
    sink.answer = async ({ headers }) => {
      const id = String(headers['webhook-id'])
      received.push(id)
      await opened
      accepted.push(id)
      return { status: 200 }
    }
    const starts = Array.from({ length: EVENTS }, (_, i) => (0x1000 + i).toString(16))
    await put('/environments/demo-org/fleet/report/K8S', buildPodReport(...starts))
    // Each of the two workers sends two messages to one target at a time.
    await until(() => received.length === 4)
    const [killed] = working
    killed?.service.signal('SIGKILL')
    await killed?.service.ended
    open()
    await until(async () => (await listIds('pending')).length === 2)
    await expireLeases()
    await until(async () => (await listIds('pending')).length === 0)
    const delivered = (await listIds('delivered')).filter(id => !already.has(id))
    expect(delivered).toHaveLength(EVENTS)
    expect(new Set(delivered)).toEqual(new Set(accepted))
    expect(new Set(delivered).size).toBe(EVENTS)
    expect(await listIds('failed')).toEqual([])
    // The receiver got the killed worker's messages twice, with the same id.
    expect(received).toHaveLength(EVENTS + 2)
    expect(new Set(received).size).toBe(EVENTS)
  })

  it('fails no request while all its processes are restarted one after another', async () => {
    await put('/flows/demo-org', { name: 'load', description: '' })
    const load = startLoad()
    for (const member of serving) {
      const { service } = member
      service.signal('SIGTERM')
      await until(() => !balancer.ready.has(service.port))
      await load.more()
      service.signal('SIGTERM')
      expect(await service.ended).toEqual(CLEAN)
      member.service = await member.start()
      await until(() => balancer.ready.has(service.port))
      await load.more()
    }
    const [killed, other] = working as [Member, Member]
    killed.service = await killed.start()
    await stop(other)
    other.service = await other.start()
    await load.more()
    expect([...new Set(await load.stop())]).toEqual([201])
  })

  it('warns at /ready when all workers are stopped, stays ready, and stops warning when one is back', async () => {
    for (const member of working) await stop(member)
    // As if half a minute had passed.
    await owner.query(`update workers set seen_at = seen_at - interval '31 s'`)
    const [front, back] = [serving[0], working[0]] as [Member, Member]
    for (const { service } of serving) {
      await until(async () => {
        const { status, text } = await service.call('GET', '/ready')
        return status === 200 && NO_WORKERS.test(text)
      })
    }
    await until(async () => /^waybill_workers 0$/m.test((await readHealth(front, '/metrics')).text))
    await until(() => balancer.ready.size === 2)
    await back.start()
    await until(async () => (await readHealth(front, '/ready')).text === 'OK')
    await until(async () => /^waybill_workers 1$/m.test((await readHealth(front, '/metrics')).text))
  })
})

/** The second signal ends the drain. */
async function stop({ service, health_port }: Member): Promise<void> {
  service.signal('SIGTERM')
  await until(async () => (await call({ port: health_port, agent }, 'GET', '/ready', {})).status === 503)
  service.signal('SIGTERM')
  expect(await service.ended).toEqual(CLEAN)
}

/** Expires the leases of a killed worker, as if a minute had passed. */
async function expireLeases(): Promise<void> {
  await owner.query(
    'update outbox set due_at = now(), lease_until = null where lease_until is not null and finished_at is null',
  )
}

function startLoad() {
  const statuses: number[] = []
  let stopping = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const body = { name: `rolling-${writer}-${i}` }
      statuses.push((await ask('PUT', '/api/v2/trails/demo-org/load', { key, body })).status)
    }
  })
  const finished = Promise.all(writers)
  finished.catch(() => undefined)
  return {
    more: () => {
      const had = statuses.length
      return until(() => statuses.length >= had + 3 * WRITERS)
    },
    stop: async () => {
      stopping = true
      await finished
      return statuses
    },
  }
}
