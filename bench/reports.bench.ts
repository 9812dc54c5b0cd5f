// The cost of environment reports by their size: unchanged, with one change, and with all artifacts replaced; for the
// first report of a large environment, also for concurrent small reads and for memory; and of reading the snapshot
// just afterwards.
import { readFileSync } from 'node:fs'
import { type BenchService, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { computeMedian, type Figure, print, printTitle } from './report.ts'
import { buildPodReport, listNumbers, makeEnvironment, sendReport, timeRead } from './sample-report.ts'

const USUAL = 800
const REPEATS = 20
/** Until then, Node is still compiling hot code, and the heap has its initial size. */
const WARM_UP_REPORTS = 300
const FIRST_AIMS_S = new Map([
  [10_000, 0.8],
  [50_000, 4],
])
const READ_AIM_S = 0.7
const IDLE_MS = 2_000
/** The thread of large reports ends after ten idle seconds and returns its memory. */
const AFTERWARDS_MS = 15_000
const QUIET_READS = 100
const MIB_IN_KIB = 1024

const service = await startService({ WAYBILL_DNS_SERVER: '127.0.0.1:9' })
try {
  await warmUp(service)
  await measureUsual(service)
  for (const [size, aim_s] of FIRST_AIMS_S) await measureFirst(service, size, aim_s)
} finally {
  await service.stop()
}

async function warmUp(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'warm-up')
  for (let sent = 0; sent < WARM_UP_REPORTS; sent++) {
    // Mostly unchanged or with one change, at times with all changed.
    const first = sent % 10 === 0 ? sent * USUAL : (sent >> 1) % USUAL
    await sendReport(from, 'warm-up', buildPodReport(listNumbers(first, USUAL)))
  }
}

interface Cost {
  ms: number[]
  statements: number
}

async function measureUsual(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'usual')
  let next = 0
  const buildNext = (changed: number) => {
    next += changed
    return buildPodReport(listNumbers(next, USUAL))
  }
  await sendReport(from, 'usual', buildNext(0))
  printTitle(`A report of ${USUAL} artifacts`)
  for (const [name, changed, aim_ms] of [
    ['unchanged', 0, 5],
    ['with 1 changed', 1, 15],
    ['with all changed', USUAL, 150],
  ] as const) {
    await settle()
    const measured = { pids: [from.pid], data_dir: from.data_dir }
    const { result, cpu } = await measureCpu(measured, () =>
      measure(from, () => sendReport(from, 'usual', buildNext(changed))),
    )
    const { ms, statements } = result
    print({ name, value: computeMedian(ms), unit: 'ms', aim: { at_most: aim_ms } })
    print({ name: `${name}: CPU of the service`, value: cpu.service_us / REPEATS / 1000, unit: 'ms' })
    print({ name: `${name}: CPU of PostgreSQL`, value: cpu.database_us / REPEATS / 1000, unit: 'ms' })
    print({ name: `${name}: statements`, value: statements, aim: { at_most: 12 } })
  }
}

/** Excludes the statements of background work, which is measured while nothing else happens. */
async function measure(from: BenchService, send: () => Promise<number>): Promise<Cost> {
  const idle_per_ms = await countStatements(from, () => settle()).then(
    ({ statements, ms }) => statements / ms,
  )
  const times: number[] = []
  const { statements, ms } = await countStatements(from, async () => {
    for (let i = 0; i < REPEATS; i++) times.push(await send())
  })
  return { ms: times, statements: (statements - idle_per_ms * ms) / REPEATS }
}

async function countStatements(from: BenchService, work: () => Promise<unknown>) {
  const before = await from.readCounterTotal('waybill_sql_statements_total')
  const started_ms = performance.now()
  await work()
  const ms = performance.now() - started_ms
  return { ms, statements: (await from.readCounterTotal('waybill_sql_statements_total')) - before }
}

async function measureFirst(from: BenchService, size: number, aim_s: number): Promise<void> {
  const environment = `first-${size}`
  await makeEnvironment(from, environment)
  await settle()
  const body = buildPodReport(listNumbers(0, size))
  const other = buildPodReport(listNumbers(size, size))
  const alone = await readSmall(from, environment, reads => reads < QUIET_READS)
  const rss_before = readMemory(from)
  let isStored = false
  const [first_ms, beside] = await Promise.all([
    sendReport(from, environment, body).finally(() => {
      isStored = true
    }),
    readSmall(from, environment, () => !isStored),
  ])
  await settle()
  const again_ms = await sendReport(from, environment, body)
  const changed_ms = await sendReport(from, environment, other)
  const read_ms = await timeRead(from, `/snapshots/demo-org/${environment}/-1`)
  await settle(AFTERWARDS_MS)
  const rss = readMemory(from)
  printTitle(`${size} artifacts`)
  print({ name: 'first report', value: first_ms / 1000, unit: 's', aim: { at_most: aim_s } })
  print({ name: 'the same report again', value: again_ms / 1000, unit: 's' })
  print({ name: 'a report with all changed', value: changed_ms / 1000, unit: 's' })
  const read_aim: Pick<Figure, 'aim'> = size === 10_000 ? { aim: { at_most: READ_AIM_S } } : {}
  print({ name: 'reading the snapshot just after that', value: read_ms / 1000, unit: 's', ...read_aim })
  const [p99, p99_alone] = [computeP99(beside), computeP99(alone)]
  print({
    name: 'small reads beside the first report: p99 / alone',
    value: p99 / p99_alone,
    aim: { at_most: 2 },
  })
  print({ name: 'small reads: slowest', value: Math.max(...beside), unit: 'ms', aim: { at_most: 100 } })
  print({ name: 'memory before', value: rss_before, unit: 'MiB' })
  print({ name: 'memory afterwards / before', value: rss / rss_before, aim: { at_most: 1.5 } })
}

/** How long each read of an environment takes, one after another. */
async function readSmall(
  from: BenchService,
  environment: string,
  goesOn: (reads: number) => boolean,
): Promise<number[]> {
  const times: number[] = []
  while (goesOn(times.length)) times.push(await timeRead(from, `/environments/demo-org/${environment}`))
  return times
}

function computeP99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}

function readMemory({ pid }: BenchService): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / MIB_IN_KIB
}

/** Long enough for the evaluator to process a report. */
function settle(ms = IDLE_MS): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
