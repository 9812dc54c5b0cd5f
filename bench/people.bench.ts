// The cost of authenticating a caller, in statements and waits, and of a late page of a long membership history
// compared with the first page.
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'
import { timeRead } from './sample-report.ts'

const KEYS = 400
const IDLE_MS = 3_000
// Background polling is subtracted by its average rate, so the result may be off by a few polls, divided by the keys.
const POLL_TOLERANCE = 4 / KEYS
// The auth cache keeps a caller for three seconds.
const CACHE_EXPIRED_MS = 4_000
const EVENTS = 1_000_000
const LATE_PAGE = 10_000
const READS = 60
// The operation itself needs no query, so all queries are for authentication.
const PATH_WITHOUT_QUERY = '/user/default-org'

interface Cost {
  statements: number
  waits: number
}

const service = await startService()
try {
  await measureAuthentication(service)
  await measureHistory(service)
} finally {
  await service.stop()
}

async function measureAuthentication(from: BenchService): Promise<void> {
  const keys = await createKeys(from)
  const polling = await measurePolling(from)
  const useEveryKey = async () => {
    for (const key of keys) await timeRead({ ...from, key }, PATH_WITHOUT_QUERY)
  }
  const first = await measureCost(from, polling, useEveryKey)
  await new Promise(resolve => setTimeout(resolve, CACHE_EXPIRED_MS))
  const uncached = await measureCost(from, polling, useEveryKey)
  const cached = await measureCost(from, polling, useEveryKey)
  printTitle(`Authenticating the caller of a request: ${KEYS} keys, one request each`)
  print({ name: 'statements, first use of a key, including the last-used update', value: first.statements })
  print({ name: 'statements, not cached', value: uncached.statements })
  print({ name: 'waits, not cached', value: uncached.waits, aim: { at_most: 1 + POLL_TOLERANCE } })
  print({ name: 'statements, cached', value: cached.statements })
  print({ name: 'waits, cached', value: cached.waits, aim: { at_most: POLL_TOLERANCE } })
}

async function createKeys(from: BenchService): Promise<string[]> {
  await post(from, `/service-accounts/${ORG}`, { name: 'robot' })
  const keys: string[] = []
  for (let i = 0; i < KEYS; i++) {
    const created = await post(from, `/service-accounts/${ORG}/robot/api-keys`, { description: `key ${i}` })
    keys.push(created.key)
  }
  return keys
}

async function post({ port, key }: BenchService, path: string, body: unknown): Promise<{ key: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as { key: string }
}

/** The queries of the evaluator and the worker when idle, per millisecond. */
async function measurePolling(from: BenchService): Promise<Cost> {
  const before = await readCounters(from)
  const started_ms = performance.now()
  await new Promise(resolve => setTimeout(resolve, IDLE_MS))
  const after = await readCounters(from)
  const elapsed_ms = performance.now() - started_ms
  return {
    statements: (after.statements - before.statements) / elapsed_ms,
    waits: (after.waits - before.waits) / elapsed_ms,
  }
}

/** The cost per key, without the queries of background polling in that time. */
async function measureCost(from: BenchService, polling: Cost, work: () => Promise<void>): Promise<Cost> {
  const before = await readCounters(from)
  const started_ms = performance.now()
  await work()
  const elapsed_ms = performance.now() - started_ms
  const after = await readCounters(from)
  return {
    statements: (after.statements - before.statements - polling.statements * elapsed_ms) / KEYS,
    waits: (after.waits - before.waits - polling.waits * elapsed_ms) / KEYS,
  }
}

async function readCounters({ readCounterTotal: counter }: BenchService): Promise<Cost> {
  return {
    statements: await counter('waybill_sql_statements_total'),
    waits: await counter('waybill_sql_waits_total'),
  }
}

async function measureHistory(from: BenchService): Promise<void> {
  await addEvents(from)
  printTitle(`The membership history of ${EVENTS} events, the first page and page ${LATE_PAGE}`)
  for (const direction of ['desc', 'asc']) {
    const path = `/membership-audit-log/${ORG}?sort_dir=${direction}`
    const [early, late]: [number[], number[]] = [[], []]
    // The first read of each creates the plans and fills the caches.
    for (let i = 0; i <= READS; i++) {
      early.push(await timeRead(from, `${path}&page=1`))
      late.push(await timeRead(from, `${path}&page=${LATE_PAGE}`))
    }
    const [first, far] = [early.slice(1), late.slice(1)]
    print({ name: `${direction}: page 1, p50`, value: computeMedian(first), unit: 'ms' })
    print({ name: `${direction}: page ${LATE_PAGE}, p50`, value: computeMedian(far), unit: 'ms' })
    const ratio = computeMedian(far) / computeMedian(first)
    print({ name: `${direction}: page ${LATE_PAGE} / page 1, p50`, value: ratio, aim: { at_most: 1.5 } })
    print({ name: `${direction}: page 1 / page ${LATE_PAGE}, p50`, value: 1 / ratio, aim: { at_most: 1.5 } })
    printRatio(`${direction}: page ${LATE_PAGE} / page 1, by round`, far, first)
  }
}

/** Inserted as the owner, because a million role changes through the API would take an hour. */
async function addEvents(from: BenchService): Promise<void> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  await client.query('begin')
  await client.query(
    `insert into membership_events (org_id, event_no, event_id, kind, user_id, user_name, changed_by, role,
       previous_role, source, created_at)
     select o.org_id, o.membership_events + i, gen_random_uuid(), 'changed', m.user_id, u.name, 'admin',
       case i % 2 when 0 then 'member' else 'reader' end, case i % 2 when 0 then 'reader' else 'member' end, 'app',
       now() + i * interval '1 second'
     from orgs o
     join lateral (select user_id from memberships where org_id = o.org_id limit 1) m on true
     join users u on u.user_id = m.user_id, generate_series(1, $2::int) i
     where o.name = $1`,
    [ORG, EVENTS],
  )
  await client.query('update orgs set membership_events = membership_events + $2 where name = $1', [
    ORG,
    EVENTS,
  ])
  await client.query('commit')
  await client.query('vacuum analyze membership_events')
  await client.end()
}
