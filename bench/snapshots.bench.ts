// The cost of history: reading an early snapshot of ten thousand compared with a late one, and the latest one compared
// with the only one of another environment; the size of a snapshot compared with a full copy, and the round trips of a
// comparison.
import pg from 'pg'
import { type BenchService, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'
import { buildPodReport, listNumbers, makeEnvironment, sendReport, timeRead } from './sample-report.ts'

const SNAPSHOTS = 10_000
const RUNNING = 200
const EARLY = 10
const LATE = 9_990
const READS = 40
const SIZED = 1_000
const SIZED_SNAPSHOTS = 200
const COMPARED = 800
const TABLES = ['snapshots', 'runs', 'verdicts', 'environment_events', 'deployments']

const service = await startService()
try {
  await measureBytes(service)
  await measureRoundTrips(service)
  await measureHistory(service)
} finally {
  await service.stop()
}

/** One percent of the artifacts is replaced each time. */
async function measureBytes(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'sized')
  const empty = await readStoredBytes(from)
  await sendReport(from, 'sized', buildPodReport(listNumbers(0, SIZED)))
  const full = await readStoredBytes(from)
  for (let i = 1; i <= SIZED_SNAPSHOTS; i++) {
    await sendReport(from, 'sized', buildPodReport(listNumbers((i * SIZED) / 100, SIZED)))
  }
  const each = ((await readStoredBytes(from)) - full) / SIZED_SNAPSHOTS
  printTitle(`${SIZED} artifacts, one percent of them replaced in each of ${SIZED_SNAPSHOTS} snapshots`)
  print({ name: 'bytes of a full copy', value: full - empty })
  print({ name: 'bytes of a snapshot', value: each, aim: { at_most: 16_000 } })
  print({ name: 'a snapshot / a full copy', value: each / (full - empty), aim: { at_most: 0.05 } })
}

async function readStoredBytes(from: BenchService): Promise<number> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(`vacuum ${TABLES.join(', ')}`)
  const sizes = TABLES.map(table => `pg_total_relation_size('${table}')`).join(' + ')
  const { rows } = await client.query(`select (${sizes})::float8 as bytes`)
  await client.end()
  return rows[0].bytes
}

async function measureRoundTrips(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'one')
  await makeEnvironment(from, 'two')
  await sendReport(from, 'one', buildPodReport(listNumbers(0, COMPARED)))
  await sendReport(from, 'two', buildPodReport(listNumbers(COMPARED / 2, COMPARED)))
  await new Promise(resolve => setTimeout(resolve, 1_500))
  const before = await from.readCounterTotal('waybill_sql_waits_total')
  const times: number[] = []
  for (let i = 0; i < READS; i++) {
    times.push(await timeRead(from, '/env-diff/demo-org?snappish1=one&snappish2=two'))
  }
  const polls = Math.round(times.reduce((sum, ms) => sum + ms, 0) / 100)
  const waits = ((await from.readCounterTotal('waybill_sql_waits_total')) - before - polls) / READS
  printTitle(`Comparing ${COMPARED} artifacts with ${COMPARED}`)
  print({ name: 'round trips', value: waits, aim: { at_most: 4 } })
  print({ name: 'time', value: computeMedian(times), unit: 'ms' })
}

async function measureHistory(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'old')
  for (let i = 0; i < SNAPSHOTS; i++) {
    await sendReport(from, 'old', buildPodReport(listNumbers(i * 2, RUNNING)))
  }
  await makeEnvironment(from, 'new')
  await sendReport(from, 'new', buildPodReport(listNumbers((SNAPSHOTS - 1) * 2, RUNNING)))
  const [early, late, latest, only] = await timeReads(from, [
    `old/${EARLY}`,
    `old/${LATE}`,
    'old/-1',
    'new/-1',
  ] as const)
  printTitle(`Reading a snapshot of ${RUNNING} artifacts among ${SNAPSHOTS} snapshots`)
  print({ name: `snapshot ${EARLY}, p50`, value: computeMedian(early), unit: 'ms' })
  print({ name: `snapshot ${LATE}, p50`, value: computeMedian(late), unit: 'ms' })
  printCompared('early / late', early, late)
  printCompared('late / early', late, early)
  printRatio('early / late, by round', early, late)
  printCompared('the latest / the only one of another environment', latest, only)
}

/** Takes turns, so that all have the same disturbances. */
async function timeReads<T extends readonly string[]>(
  from: BenchService,
  paths: T,
): Promise<{ [I in keyof T]: number[] }> {
  const times = paths.map((): number[] => [])
  for (let i = 0; i < READS; i++)
    for (const [which, path] of paths.entries())
      times[which]?.push(await timeRead(from, `/snapshots/demo-org/${path}`))
  return times as { [I in keyof T]: number[] }
}

function printCompared(name: string, times: number[], others: number[]): void {
  const value = computeMedian(times) / computeMedian(others)
  print({ name: `${name}, p50`, value, aim: { at_most: 1.3 } })
}
