// The cost of the log: attesting with 32 clients to the service and, alternating, to the same service without a log.
// The second one is built here: it stores its events without serializing, hashing and numbering them.
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import { makeAttestRun } from './attest-run.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { type CpuTime, measureCpu } from './cpu-time.ts'
import { fillOrg, nameFlow } from './fill-org.ts'
import { print, printRatio, printTitle } from './report.ts'
import { buildWithoutLog } from './without-log/build.ts'

const TRAILS = 20_000
const CLIENTS = 32
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const PHASE_MS = 3_000
/** Until then, Node is still compiling hot code. */
const WARM_UP_REQUESTS = 20_000

interface Variant {
  service: BenchService
  run: ReturnType<typeof makeAttestRun>
  rates: number[]
  p99_ms: number[]
  cpu: CpuTime[]
  bytes: number
}

const program = await buildWithoutLog()
const ours = await startVariant({})
const bare = await startVariant({ program })
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of [ours, bare]) await measureRound(variant)
  }
  printTitle(`Attest with ${CLIENTS} clients, with and without the log, ${ROUNDS} rounds`)
  printRatio('attestations per second: with the log / without', ours.rates, bare.rates, { at_least: 0.85 })
  printRatio('p99: with the log / without', ours.p99_ms, bare.p99_ms, { at_most: 1.3 })
  for (const part of ['service_us', 'database_us'] as const)
    printRatio(
      `CPU of the ${part === 'service_us' ? 'service' : 'database'}: with the log / without`,
      ours.cpu.map(cpu => cpu[part]),
      bare.cpu.map(cpu => cpu[part]),
    )
  print({
    name: 'bytes of an attestation with its event: with the log / without',
    value: ours.bytes / bare.bytes,
    aim: { at_most: 1.5 },
  })
} finally {
  await ours.service.stop()
  await bare.service.stop()
  rmSync(dirname(program), { recursive: true })
}

async function startVariant(how: { program?: string }): Promise<Variant> {
  const service = await startService({}, how)
  await service.put(`/flows/${ORG}`, { name: nameFlow(0), description: '' })
  await fillOrg(service, 0, TRAILS)
  const run = makeAttestRun(service, TRAILS)
  const before = await readDatabaseBytes(service)
  let requests = 0
  while (requests < WARM_UP_REQUESTS) requests += (await run(CLIENTS, PHASE_MS)).requests
  const bytes = (await readDatabaseBytes(service)) - before
  return { service, run, rates: [], p99_ms: [], cpu: [], bytes: bytes / requests }
}

async function measureRound({ service, run, rates, p99_ms, cpu: costs }: Variant): Promise<void> {
  const where = { pids: [service.pid], data_dir: service.data_dir }
  const { result, cpu } = await measureCpu(where, () => run(CLIENTS, PHASE_MS))
  rates.push(result.per_second)
  p99_ms.push(result.p99_ms)
  costs.push({
    service_us: cpu.service_us / result.requests,
    database_us: cpu.database_us / result.requests,
  })
}

async function readDatabaseBytes({ readDatabaseAddresses }: BenchService): Promise<number> {
  const client = new pg.Client((await readDatabaseAddresses()).owner)
  await client.connect()
  const { rows } = await client.query('select pg_database_size(current_database()) as bytes')
  await client.end()
  return Number(rows[0].bytes)
}
