// Two processes of the service on one PostgreSQL compared with one: the same clients, all at one process or half at
// each. The limit is the processor time per request, so that is printed too.
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { type BenchService, makeScratch, ORG, startDefaultPostgres, startService } from './bench-service.ts'
import { measureCpu } from './cpu-time.ts'
import { formatRequest, type Rate, runLoad } from './http-load.ts'
import { computeMedian, print, printNote, printRatio, printTitle } from './report.ts'

const CLIENTS = 32
const ROUNDS = 5
const PHASE_MS = 3_000
const WARM_UP_MS = 3_000
const TRAILS = 400
const FLOW = 'measured'
/** Both processes, PostgreSQL and the clients need a core each before a second process can add anything. */
const CORES_NEEDED = 4

const database = await startDefaultPostgres()
const evidence = await makeScratch()
try {
  const env = {
    DATABASE_URL: database.url,
    WAYBILL_SECRET_KEY: 'bench'.repeat(8),
    // Processes of one installation share it; the newest checkpoints are there too.
    WAYBILL_EVIDENCE_URL: pathToFileURL(evidence).href,
  }
  const one = await startService(env)
  const other = await startService(env, { known_key: one.key })
  await one.put(`/flows/${ORG}`, { name: FLOW, description: '', template: ['unit-tests'] })
  for (let n = 0; n < TRAILS; n++) await one.put(`/trails/${ORG}/${FLOW}`, { name: `trail-${n}` })
  const phases = {
    one: (ms: number) => attest([one], ms),
    two: (ms: number) => attest([one, other], ms),
  }
  for (const phase of Object.values(phases)) await phase(WARM_UP_MS)
  const rates: Record<keyof typeof phases, number[]> = { one: [], two: [] }
  const used: Record<keyof typeof phases, number[]> = { one: [], two: [] }
  const per_request: Record<keyof typeof phases, number[]> = { one: [], two: [] }
  const pids = [process.pid, one.pid, other.pid]
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ['one', 'two'] as const) {
      const { result, cpu } = await measureCpu({ pids, data_dir: database.data_dir }, () =>
        phases[name](PHASE_MS),
      )
      const cpu_us = cpu.service_us + cpu.database_us
      rates[name].push(result.per_second)
      used[name].push(cpu_us / (PHASE_MS * 1000) / availableParallelism())
      per_request[name].push(cpu_us / result.requests)
    }
  }
  await Promise.all([one.stop(), other.stop()])
  const cores = availableParallelism()
  printTitle(`Attest with ${CLIENTS} clients at two processes and at one, on ${cores} cores`)
  const aim = cores >= CORES_NEEDED ? { at_least: 1.5 } : undefined
  printRatio('two processes / one', rates.two, rates.one, aim)
  if (!aim) printNote(`the aim of 1.5 needs ${CORES_NEEDED} cores: the clients and PostgreSQL use them too`)
  for (const name of ['one', 'two'] as const) {
    print({ name: `${name}: attestations`, value: computeMedian(rates[name]), unit: 'per s' })
    print({ name: `${name}: part of all cores that is busy`, value: computeMedian(used[name]) })
    print({
      name: `${name}: CPU per request, clients and PostgreSQL included`,
      value: computeMedian(per_request[name]),
      unit: 'µs',
    })
  }
} finally {
  await database.stop()
  await rm(evidence, { recursive: true, force: true })
}

async function attest(services: readonly BenchService[], duration_ms: number): Promise<Rate> {
  const body = JSON.stringify({ attestation_name: 'unit-tests', is_compliant: true })
  const loads = services.map(({ port, key }) => {
    const next = () => {
      const trail = `trail-${Math.floor(Math.random() * TRAILS)}`
      return formatRequest('POST', `/api/v2/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, key, body)
    }
    return runLoad({ port, clients: CLIENTS / services.length, next, status: 201, duration_ms })
  })
  const done = await Promise.all(loads)
  return {
    requests: done.reduce((sum, { requests }) => sum + requests, 0),
    per_second: done.reduce((sum, { per_second }) => sum + per_second, 0),
  }
}
