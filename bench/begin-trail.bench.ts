// Begins trails, the first request of every pipeline, over HTTP, compared with the same prepared statement in a bare
// loop over `pg` on the same database. The ratio is the cost of everything that the service adds to the statement.
import { randomBytes } from 'node:crypto'
import { toReportedRepo } from '../server/src/api/repos/store.ts'
import { beginTrailIn, type NewTrail } from '../server/src/api/trails/store.ts'
import { systemClock } from '../server/src/lib/clock.ts'
import { makeIds } from '../server/src/lib/ids.ts'
import { type BareWork, openBareLoop } from './bare-loop.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { print, printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'
import { buildTrailBody, FLOW, TRAIL_FIELDS, TRAILS_PATH } from './sample-trail.ts'

const TURNS = { rounds: 9, warm_up_ms: 2_000, phase_ms: 1_100 }
const COUNTED_MS = 1_500

const ids = makeIds(systemClock)
const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured', template: ['unit-tests'] })
  const loop = await openBareLoop(service, makeBeginWork())
  const rates = await runInTurns(
    {
      transaction: loop.transaction,
      statement: loop.statement,
      http_16: makeHttpPhase(service, 16),
      http_64: makeHttpPhase(service, 64),
    },
    TURNS,
  )
  await loop.end()
  printTitle(
    `Begin a trail: ${Buffer.byteLength(buildTrailBody('0'))} bytes of JSON, durable, ${TURNS.rounds} rounds`,
  )
  const { transaction, statement } = rates
  printRatio('16 clients / bare pg, BEGIN … COMMIT pipelined', rates.http_16, transaction, { at_least: 0.5 })
  printRatio('64 clients / bare pg, BEGIN … COMMIT pipelined', rates.http_64, transaction)
  printRatio('16 clients / bare pg, the statement alone', rates.http_16, statement)
  await printCounts(service)
} finally {
  await service.stop()
}

function makeHttpPhase({ port, key }: BenchService, clients: number): Phase {
  return duration_ms => {
    const run = randomBytes(6).toString('hex')
    let sent = 0
    const next = () => formatRequest('PUT', TRAILS_PATH, key, buildTrailBody(`${run}-${sent++}`))
    return runLoad({ port, clients, next, status: 201, duration_ms })
  }
}

/** Also counts the statements of the worker and the auth cache, which are negligible among so many. */
async function printCounts(service: BenchService): Promise<void> {
  const read = async () => ({
    statements: await service.readCounterTotal('waybill_sql_statements_total'),
    waits: await service.readCounterTotal('waybill_sql_waits_total'),
  })
  const before = await read()
  const { requests } = await makeHttpPhase(service, 16)(COUNTED_MS)
  const after = await read()
  const perRequest = (kind: keyof typeof after) => (after[kind] - before[kind]) / requests
  print({ name: 'SQL statements per request', value: perRequest('statements'), aim: { at_most: 3.05 } })
  print({ name: 'waits for the database per request', value: perRequest('waits'), aim: { at_most: 1.05 } })
}

function makeBeginWork(): BareWork {
  return {
    call: (recorder, org_id) => beginTrailIn(recorder, org_id, buildTrail()),
    makeParams: () => {
      const trail_id = ids.next()
      return { trail_id, name: `bare-${trail_id}` }
    },
  }
}

function buildTrail(): NewTrail {
  const { repo_info } = TRAIL_FIELDS
  return {
    flow_name: FLOW,
    trail_id: ids.next(),
    name: ids.next(),
    template_id: null,
    fields: TRAIL_FIELDS,
    collected_at: null,
    spooled: null,
    repo: toReportedRepo({ flow_name: FLOW, trail_name: 'any', repo_info, fingerprint: null }, ids),
    actor: 'admin',
    now: systemClock.now(),
  }
}
