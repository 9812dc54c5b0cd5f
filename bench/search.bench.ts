// Searches trails by part of their name, in an org with many trails and in a small org, compared with the first page
// of the unfiltered list, which counts them. Medians of single requests over HTTP, alternating.
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { computeMedian, print, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'

const MANY = 300_000
const FEW = 1_000
const SMALL_ORG = 'admin'
const FLOW = 'search'
const TURNS = { rounds: 7, warm_up_ms: 300, phase_ms: 500 }

const service = await startService()
try {
  for (const [org, trails] of [
    [ORG, MANY],
    [SMALL_ORG, FEW],
  ] as const) {
    await service.put(`/flows/${org}`, { name: FLOW, description: '' })
    await fill(service, org, trails)
  }
  const rates = await runInTurns(
    {
      plain: makePhase(ORG, ''),
      rare: makePhase(ORG, 'PAY-2999'),
      common: makePhase(ORG, 'release'),
      small_plain: makePhase(SMALL_ORG, ''),
      small_common: makePhase(SMALL_ORG, 'release'),
    },
    TURNS,
  )
  printTitle(`Search by a part of the name among ${MANY} trails, and among ${FEW} in a small org`)
  const computeRatio = (of: number[], by: number[]) => computeMedian(by) / computeMedian(of)
  print({
    name: 'few matches / unfiltered list',
    value: computeRatio(rates.rare, rates.plain),
    aim: { at_most: 0.2 },
  })
  print({
    name: 'half match / unfiltered list',
    value: computeRatio(rates.common, rates.plain),
    aim: { at_most: 3 },
  })
  const beside = computeRatio(rates.small_common, rates.small_plain)
  print({ name: 'small org, half match / unfiltered list', value: beside, aim: { at_most: 2 } })
} finally {
  await service.stop()
}

/** With one client, the rate is the inverse of the time per request. */
function makePhase(org: string, part: string): Phase {
  const query = part === '' ? '' : `?search_by_name=${part}`
  const text = formatRequest('GET', `/api/v2/trails/${org}${query}`, service.key, '')
  return duration_ms =>
    runLoad({ port: service.port, clients: 1, next: () => text, status: 200, duration_ms })
}

/** Half of the names are tickets and half are releases. Inserted by the database, because that is faster. */
async function fill(from: BenchService, org: string, trails: number): Promise<void> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(
    `with made as (
       insert into trails (org_id, trail_id, flow_id, name, description, template_id, compliance_state, evaluated_at,
                           created_by, created_at, last_modified_at)
       select f.org_id, gen_random_uuid(), f.flow_id, case n % 2 when 0 then 'release-2026.' || n else 'PAY-' || n end, '',
         f.template_id, 'COMPLIANT', now(), 'admin', now(), now()
       from flows f join orgs o using (org_id), generate_series(1, $2::int) n
       where o.name = $1 and f.name = $3
       returning org_id, trail_id, flow_id, name
     )
     insert into trail_words (org_id, word, trail_id, flow_id)
     select made.org_id, w.word, made.trail_id, made.flow_id from made, name_words(made.name) as w(word)`,
    [org, trails, FLOW],
  )
  await client.query('vacuum analyze trails')
  await client.query('vacuum analyze trail_words')
  await client.end()
}
