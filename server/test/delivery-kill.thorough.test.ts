// Workers are killed repeatedly while the receiver fails almost every third time: nothing is lost, a repeat carries
// the id of the first attempt, and a message that was recorded as delivered is not sent again.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHttpsSink } from '@waybill/testing/tls'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { buildPodReport } from './environments.ts'
import { until } from './patience.ts'
import {
  addCleanUp,
  createDatabase,
  makeDataDirectory,
  makeScratchFolder,
  type Service,
  startService,
} from './service.ts'

const ORG = 'demo-org'
const KILLS = 20
const EVENTS = 300
const MAX_PAUSE_MS = 400
/** Enough attempts that they cannot all fail. */
const SCHEDULE = Array.from({ length: 60 }, () => 0).join()

it('delivers everything although the workers are killed repeatedly', async () => {
  const sink = await startHttpsSink()
  addCleanUp(() => sink.stop())
  const ca_file = join(makeScratchFolder(), 'ca.pem')
  writeFileSync(ca_file, sink.ca_pem)
  const { url, owner } = await createDatabase()
  const env = {
    DATABASE_URL: url,
    NODE_EXTRA_CA_CERTS: ca_file,
    WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
    WAYBILL_RETRY_SCHEDULE: SCHEDULE,
    WAYBILL_LOG_LEVEL: 'silent',
  }
  const accepted = new Map<string, number>()
  const seen: string[] = []
  let turn = 0
  sink.answer = ({ headers }) => {
    const id = String(headers['webhook-id'])
    seen.push(id)
    // Failures are reproducible, but not in step with the workers.
    turn += 1
    if ((turn * 7919) % 10 < 3) return { status: 500 }
    accepted.set(id, (accepted.get(id) ?? 0) + 1)
    return { status: 200 }
  }
  const data_dir = makeDataDirectory()
  const first = await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'serve' } })
  await fill(first, sink.url)
  const key = first.key
  first.signal('SIGTERM')
  await first.ended

  let in_flight = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'work' } })
    const before = seen.length
    if (accepted.size < EVENTS) await until(() => seen.length > before)
    await sleep(Math.random() * MAX_PAUSE_MS)
    worker.signal('SIGKILL')
    await worker.ended
    in_flight += await expireLeases(owner)
  }
  const last = await startService({ data_dir, env })
  await until(async () => (await countDeliveries(last, key, 'pending')) === 0)
  expect(await countDeliveries(last, key, 'failed')).toBe(0)
  expect(accepted.size).toBe(EVENTS)
  // Only messages in flight when a worker died may be sent again after they were accepted.
  const repeats = [...accepted.values()].reduce((sum, times) => sum + times - 1, 0)
  expect(repeats).toBeLessThanOrEqual(in_flight)
  const at_the_end = seen.length
  await report(last, key, EVENTS + 1)
  await until(() => accepted.size > EVENTS)
  // Due messages are sent in order: only the new one was left to send.
  expect(new Set(seen.slice(at_the_end))).toEqual(new Set([[...accepted.keys()].at(-1)]))
})

/** Adds a notification for every started artifact, and reports many of them. */
async function fill(service: Service, url: string): Promise<void> {
  const put = async (path: string, body: unknown) => {
    const { status, text } = await service.call('PUT', `/api/v2${path}`, { key: service.key, body })
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
  }
  await put(`/environments/${ORG}`, { name: 'prod', type: 'K8S', description: '' })
  await put(`/organizations/${ORG}/environments_notifications`, {
    name: 'all',
    environments: ['prod'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: `${url}/hook` }],
  })
  await report(service, service.key, EVENTS)
}

/** Reports this many running artifacts. */
async function report(service: Service, key: string | undefined, many: number): Promise<void> {
  const starts = Array.from({ length: many }, (_, i) => (0x1000 + i).toString(16))
  const body = buildPodReport(...starts)
  const { status } = await service.call('PUT', `/api/v2/environments/${ORG}/prod/report/K8S`, { key, body })
  expect(status).toBe(200)
}

/** Expires the leases of a killed worker, as if a minute had passed; returns how many there were. */
async function expireLeases(owner: pg.Client): Promise<number> {
  const { rowCount } = await owner.query(
    'update outbox set due_at = now(), lease_until = null where lease_until is not null and finished_at is null',
  )
  return rowCount ?? 0
}

async function countDeliveries(service: Service, key: string | undefined, status: string): Promise<number> {
  const { text } = await service.call('GET', `/api/v2/notification-deliveries/${ORG}?status=${status}`, {
    key,
  })
  return JSON.parse(text).deliveries.length
}
