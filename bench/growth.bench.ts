// Grows from empty on a PostgreSQL with its default settings, whose autovacuum looks at the tables once a minute: the
// rate of each step compared with the rate after everything is analyzed and the service has restarted.
import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { type BenchService, makeScratch, ORG, startDefaultPostgres, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { computeMedian, print, printNote, printTitle } from './report.ts'

const CLIENTS = 16
const STEPS = Number(process.env.BENCH_STEPS ?? 20)
const STEP_MS = 2_000
const ANALYZED_STEPS = 5
const FLOW = 'growing'
const AT_LEAST = 0.8

let reported = 0
const database = await startDefaultPostgres()
const evidence = await makeScratch()
try {
  const env = {
    DATABASE_URL: database.url,
    WAYBILL_SECRET_KEY: 'bench'.repeat(8),
    // The second start finds the newest checkpoint there.
    WAYBILL_EVIDENCE_URL: pathToFileURL(evidence).href,
  }
  const first = await startService(env)
  await first.put(`/flows/${ORG}`, { name: FLOW, description: '', template: ['unit-tests'] })
  const growing = await runSteps(first, STEPS)
  await first.stop()
  await analyze()
  const second = await startService(env, { known_key: first.key })
  const analyzed = await runSteps(second, ANALYZED_STEPS)
  await second.stop()
  printTitle(`From empty to ${reported} artifacts on a PostgreSQL with default settings, ${CLIENTS} clients`)
  const rate = computeMedian(analyzed.map(step => step.per_second))
  const cpu = computeMedian(analyzed.map(step => step.database_us))
  const rates = growing.map(step => step.per_second)
  printNote(`artifacts per second in steps of ${STEP_MS / 1000} s: ${rates.map(Math.round).join(' ')}`)
  printNote(
    `CPU of PostgreSQL per artifact in them: ${growing.map(step => Math.round(step.database_us)).join(' ')} µs`,
  )
  print({ name: 'rate after ANALYZE and a new start', value: rate, unit: 'per s' })
  print({ name: 'slowest step / that rate', value: Math.min(...rates) / rate, aim: { at_least: AT_LEAST } })
  const most = Math.max(...growing.map(step => step.database_us))
  print({ name: 'CPU of PostgreSQL per artifact after ANALYZE', value: cpu, unit: 'µs' })
  print({ name: 'most of any step / that', value: most / cpu, aim: { at_most: 1 / AT_LEAST } })
} finally {
  await database.stop()
  await rm(evidence, { recursive: true, force: true })
}

/** The first step after a start is not counted: Node is still compiling hot code. */
async function runSteps(service: BenchService, steps: number) {
  const counted: { per_second: number; database_us: number }[] = []
  for (let step = 0; step <= steps; step++) {
    const { result, cpu } = await measureCpu({ pids: [service.pid], data_dir: database.data_dir }, () =>
      runLoad({
        port: service.port,
        clients: CLIENTS,
        next: () => buildReport(service.key),
        status: 201,
        duration_ms: STEP_MS,
      }),
    )
    if (step > 0)
      counted.push({ per_second: result.per_second, database_us: cpu.database_us / result.requests })
  }
  return counted
}

/** Each on a new trail. */
function buildReport(key: string): string {
  reported += 1
  const body = {
    fingerprint: reported.toString(16).padStart(64, '0'),
    filename: `registry.example.com/shop/checkout:${reported}`,
    git_commit: reported.toString(16).padStart(40, '0'),
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    trail_name: `trail-${reported}`,
    template_reference_name: 'image',
  }
  return formatRequest('POST', `/api/v2/artifacts/${ORG}/${FLOW}`, key, JSON.stringify(body))
}

async function analyze(): Promise<void> {
  const client = new pg.Client(database.address)
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}
