// The log: how much a proof in the response adds to a write, and whether proofs of old leaves take longer in a larger
// log. `LOG_LEAVES` sets the size of the larger one.
import { randomBytes, randomInt } from 'node:crypto'
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'
import { buildTrailBody, FLOW, TRAILS_PATH } from './sample-trail.ts'

/** The warm-up is long, because Node is still compiling hot code. */
const TURNS = { rounds: 7, warm_up_ms: 6_000, phase_ms: 1_000 }
const SMALL = 10_000
const LARGE = Number(process.env.LOG_LEAVES ?? 1_000_000)
/** The personal organization of the first user. */
const SMALL_ORG = 'admin'

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: FLOW, description: 'Measured' })
  const rates = await runInTurns(
    {
      write_1: makeWritePhase(service, 1, ''),
      proved_1: makeWritePhase(service, 1, 'prefer: waybill-proof\r\n'),
      write_32: makeWritePhase(service, 32, ''),
      proved_32: makeWritePhase(service, 32, 'prefer: waybill-proof\r\n'),
    },
    TURNS,
  )
  printTitle(`Begin a trail, with and without its proof, ${TURNS.rounds} rounds`)
  const added = rates.proved_1.map((rate, i) => 1_000 / rate - 1_000 / (rates.write_1[i] ?? Number.NaN))
  print({
    name: '1 client: time that the proof adds',
    value: computeMedian(added),
    unit: 'ms',
    aim: { at_most: 2 },
  })
  printRatio('32 clients: with the proof / without', rates.proved_32, rates.write_32)
  print({
    name: '32 clients: writes with proof',
    value: computeMedian(rates.proved_32),
    unit: '/s',
    aim: { at_least: 2_000 },
  })
  await addLeaves(service, SMALL_ORG, SMALL)
  await addLeaves(service, ORG, LARGE)
  const proofs = await runInTurns(
    { small: makeProofPhase(service, SMALL_ORG, SMALL), large: makeProofPhase(service, ORG, LARGE) },
    TURNS,
  )
  printTitle(`The proof of an old leaf, 1 client, ${TURNS.rounds} rounds`)
  printRatio(`${LARGE} leaves / ${SMALL} leaves`, proofs.large, proofs.small, { at_least: 1 / 1.5 })
  print({
    name: `${LARGE} leaves: one proof`,
    value: 1_000 / computeMedian(proofs.large),
    unit: 'ms',
    aim: { at_most: 5 },
  })
} finally {
  await service.stop()
}

function makeWritePhase({ port, key }: BenchService, clients: number, header: string): Phase {
  return duration_ms => {
    const run = randomBytes(6).toString('hex')
    let sent = 0
    const next = () =>
      formatRequest('PUT', TRAILS_PATH, key, buildTrailBody(`${run}-${sent++}`)).replace(
        'host: ',
        `${header}host: `,
      )
    return runLoad({ port, clients, next, status: 201, duration_ms })
  }
}

function makeProofPhase({ port, key }: BenchService, org: string, leaves: number): Phase {
  const next = () => formatRequest('GET', `/api/v2/log/${org}/proof?index=${randomInt(leaves)}`, key, '')
  return duration_ms => runLoad({ port, clients: 1, next, status: 200, duration_ms })
}

/** Their hashes are as good as those of real leaves: a tree does not inspect them. */
async function addLeaves(
  { readDatabaseAddresses }: BenchService,
  org: string,
  leaves: number,
): Promise<void> {
  const client = new pg.Client((await readDatabaseAddresses()).owner)
  await client.connect()
  await client.query(
    `with grown as (
       update log_heads h set size = h.size + $2::int from orgs o where o.org_id = h.org_id and o.name = $1
       returning h.org_id, h.epoch, h.size - $2::int as first, h.logged_ms
     )
     insert into log_leaves (org_id, epoch, seq, event_id, kind, logged_ms, body_hash, tags, leaf_hash)
     select g.org_id, g.epoch, g.first + i, gen_random_uuid(), 'flow_tagged', g.logged_ms, sha256(i::text::bytea), '',
       sha256(('leaf ' || i)::bytea)
     from grown g, generate_series(0, $2::int - 1) i`,
    [org, leaves],
  )
  await client.query('analyze log_leaves')
  await client.end()
}
