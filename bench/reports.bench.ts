// The cost of an environment report: of an unchanged one by its size, and of the first one of a very large environment,
// including the event loop delay that other requests notice.
import { type BenchService, startService } from './bench-service.ts'
import { computeMedian, print, printTitle } from './report.ts'
import { buildPodReport, listNumbers, makeEnvironment, sendReport, timeRead } from './sample-report.ts'

const FEW = 10
const MANY = 800
const HUGE = 10_000
const REPEATS = 40

const service = await startService()
try {
  await measureUnchanged(service)
  await measureHuge(service)
} finally {
  await service.stop()
}

async function measureUnchanged(from: BenchService): Promise<void> {
  const costs = new Map<number, { statements: number; ms: number }>()
  for (const size of [FEW, MANY]) {
    const environment = `of-${size}`
    await makeEnvironment(from, environment)
    const body = buildPodReport(listNumbers(0, size))
    await sendReport(from, environment, body)
    await waitUntilSettled(from)
    const before = await from.readCounterTotal('waybill_sql_statements_total')
    const times: number[] = []
    for (let i = 0; i < REPEATS; i++) times.push(await sendReport(from, environment, body))
    // The evaluator polls for pending evaluations ten times a second; its statements do not count.
    const polls = Math.round(times.reduce((sum, ms) => sum + ms, 0) / 100)
    const statements =
      ((await from.readCounterTotal('waybill_sql_statements_total')) - before - polls) / REPEATS
    costs.set(size, { statements, ms: computeMedian(times) })
  }
  const [few, many] = [costs.get(FEW), costs.get(MANY)]
  printTitle(`An unchanged report with ${MANY} artifacts and with ${FEW}`)
  print({ name: `statements, ${MANY}`, value: many?.statements ?? Number.NaN, aim: { at_most: 12 } })
  print({
    name: `statements, ${MANY} / ${FEW}`,
    value: (many?.statements ?? Number.NaN) / Math.max(few?.statements ?? Number.NaN, 1),
    aim: { at_most: 1.5 },
  })
  print({ name: `time, ${MANY} / ${FEW}`, value: (many?.ms ?? Number.NaN) / (few?.ms ?? Number.NaN) })
}

async function measureHuge(from: BenchService): Promise<void> {
  await makeEnvironment(from, 'huge')
  await waitUntilSettled(from)
  const body = buildPodReport(listNumbers(0, HUGE))
  const before = await from.readCounterTotal('waybill_sql_statements_total')
  // Reading the metrics resets the event loop delay.
  const first_ms = await sendReport(from, 'huge', body)
  const lag_s = await from.readCounterTotal('nodejs_eventloop_lag_p99_seconds')
  const statements = (await from.readCounterTotal('waybill_sql_statements_total')) - before
  await waitUntilSettled(from)
  const again_ms = await sendReport(from, 'huge', buildPodReport(listNumbers(0, HUGE)))
  const changed_ms = await sendReport(from, 'huge', buildPodReport(listNumbers(100, HUGE)))
  await waitUntilSettled(from)
  await from.readCounterTotal('nodejs_eventloop_lag_p99_seconds')
  const read_ms = await timeRead(from, '/snapshots/demo-org/huge/-1')
  const read_lag_s = await from.readCounterTotal('nodejs_eventloop_lag_p99_seconds')
  printTitle(`${HUGE} artifacts`)
  print({ name: 'first report', value: first_ms / 1000, unit: 's', aim: { at_most: 5 } })
  print({ name: 'event loop delay meanwhile, p99', value: lag_s * 1000, unit: 'ms', aim: { at_most: 100 } })
  print({ name: 'statements of the first report', value: statements })
  print({ name: 'the same report again', value: again_ms / 1000, unit: 's' })
  print({ name: 'a report with 1% started and 1% exited', value: changed_ms / 1000, unit: 's' })
  print({ name: 'reading the snapshot', value: read_ms / 1000, unit: 's' })
  print({
    name: 'event loop delay meanwhile, p99',
    value: read_lag_s * 1000,
    unit: 'ms',
    aim: { at_most: 100 },
  })
}

/** Waits until the evaluator has processed the report. */
async function waitUntilSettled(from: BenchService): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 1_500))
  await from.readCounterTotal('waybill_sql_statements_total')
}
