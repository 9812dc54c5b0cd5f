// What it costs to recognise a caller, in statements and waits; and a page of a long membership history against the first.
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'
import { timeRead } from './sample-report.ts'

const KEYS = 400
const IDLE_MS = 3_000
// The polling is subtracted by its rate, so that a poll or a few more or less remain: so much for each key.
const POLLS = 4 / KEYS
// What is known of a caller is kept for three seconds.
const FORGOTTEN_MS = 4_000
const EVENTS = 1_000_000
const LATE_PAGE = 10_000
const READS = 60
// Asks the database for nothing: whatever is asked is asked in order to recognise the caller.
const ASKS_NOTHING = '/user/default-org'

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
  const keys = await makeKeys(from)
  const polling = await measurePolling(from)
  const useEveryKey = async () => {
    for (const key of keys) await timeRead({ ...from, key }, ASKS_NOTHING)
  }
  const first = await measureCost(from, polling, useEveryKey)
  await new Promise(resolve => setTimeout(resolve, FORGOTTEN_MS))
  const uncached = await measureCost(from, polling, useEveryKey)
  const cached = await measureCost(from, polling, useEveryKey)
  printTitle(`Recognising the caller of a request, ${KEYS} keys, one request each`)
  print({ name: 'statements, first use of a key, with the note that it was used', value: first.statements })
  print({ name: 'statements, not cached', value: uncached.statements })
  print({ name: 'waits, not cached', value: uncached.waits, aim: { at_most: 1 + POLLS } })
  print({ name: 'statements, cached', value: cached.statements })
  print({ name: 'waits, cached', value: cached.waits, aim: { at_most: POLLS } })
}

async function makeKeys(from: BenchService): Promise<string[]> {
  await post(from, `/service-accounts/${ORG}`, { name: 'robot' })
  const keys: string[] = []
  for (let i = 0; i < KEYS; i++) {
    const made = await post(from, `/service-accounts/${ORG}/robot/api-keys`, { description: `key ${i}` })
    keys.push(made.key)
  }
  return keys
}

async function post({ port, key }: BenchService, path: string, body: unknown): Promise<{ key: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { key: string }
}

/** What the judge and the worker ask by themselves, for each millisecond. */
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

/** For each key; what the service would have asked anyhow in that time is not counted. */
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
    // The first of each makes the plans and brings the pages into memory.
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
    printRatio(`${direction}: page ${LATE_PAGE} / page 1, pair by pair`, far, first)
  }
}

/** As the owner: a million changes of role through the front door would take an hour. */
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
