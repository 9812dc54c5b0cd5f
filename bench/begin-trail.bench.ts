// Beginning a trail, the request every pipeline starts with: over HTTP, against the same prepared statement in a bare
// loop over `pg` on the same database. The ratio is the price of everything the service puts around the statement.
import { randomBytes } from 'node:crypto'
import { openBareLoop } from './bare-begin.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { drive, type Rate, request } from './http-load.ts'
import { print, printRatio, title } from './report.ts'
import { FLOW, TRAILS_PATH, trailBody } from './sample-trail.ts'

const ROUNDS = 5
const WARM_UP_MS = 3_000
const PHASE_MS = 2_500

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured', template: ['unit-tests'] })
  const loop = await openBareLoop(service)
  const phases = {
    bare: (duration_ms: number) => loop.run(duration_ms),
    http_16: (duration_ms: number) => overHttp(service, 16, duration_ms),
    http_64: (duration_ms: number) => overHttp(service, 64, duration_ms),
  }
  for (const phase of Object.values(phases)) await phase(WARM_UP_MS)
  const rates: Record<keyof typeof phases, number[]> = { bare: [], http_16: [], http_64: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push((await phases.bare(PHASE_MS)).per_second)
    rates.http_16.push((await phases.http_16(PHASE_MS)).per_second)
    rates.http_64.push((await phases.http_64(PHASE_MS)).per_second)
  }
  title(`Begin a trail: ${Buffer.byteLength(trailBody('0'))} bytes of JSON, durable, ${ROUNDS} rounds`)
  printRatio('16 clients over HTTP / bare pg loop of 16', rates.http_16, rates.bare, { at_least: 0.5 })
  printRatio('64 clients over HTTP / bare pg loop of 16', rates.http_64, rates.bare)
  await printCounts(service)
  await loop.end()
} finally {
  await service.stop()
}

async function overHttp({ port, key }: BenchService, clients: number, duration_ms: number): Promise<Rate> {
  const run = randomBytes(6).toString('hex')
  let sent = 0
  const next = () => request('PUT', TRAILS_PATH, key, trailBody(`${run}-${sent++}`))
  return drive({ port, clients, next, status: 201, duration_ms })
}

/** What the worker and the memory of keys ask meanwhile is counted too, and vanishes among so many. */
async function printCounts(service: BenchService): Promise<void> {
  const read = async () => ({
    statements: await service.counter('waybill_sql_statements_total'),
    waits: await service.counter('waybill_sql_waits_total'),
  })
  const before = await read()
  const { requests } = await overHttp(service, 16, 1_500)
  const after = await read()
  const each = (kind: keyof typeof after) => (after[kind] - before[kind]) / requests
  print({ name: 'SQL statements per request', value: each('statements'), aim: { at_most: 1.05 } })
  print({ name: 'waits for the database per request', value: each('waits'), aim: { at_most: 1.05 } })
}
