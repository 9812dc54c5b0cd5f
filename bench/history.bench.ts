// The cost of history: reads the attestations of a digest in an org with ten thousand and with half a million
// attestations. Medians of single requests over HTTP.
import pg from 'pg'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { computeMedian, print, printTitle } from './report.ts'

const FEW = 10_000
const MANY = 500_000
const REQUESTS_MS = 2_500
const ROUNDS = 5
const FINGERPRINT = 'c0ffee'.padEnd(64, '0')

const service = await startService()
try {
  await sendReport(service)
  const few = await measureRates(service, FEW)
  const many = await measureRates(service, MANY)
  printTitle(`Attestations of a digest: ${MANY} stored compared with ${FEW} stored`)
  print({
    name: 'time of one read, many / few',
    value: computeMedian(few) / computeMedian(many),
    aim: { at_most: 1.3 },
  })
} finally {
  await service.stop()
}

async function sendReport({ port, key, put }: BenchService): Promise<void> {
  await put(`/flows/${ORG}`, { name: 'history', description: '' })
  const links = { build_url: 'https://ci.example.com', commit_url: 'https://git.example.com' }
  const artifact = {
    fingerprint: FINGERPRINT,
    filename: 'x',
    trail_name: 't',
    template_reference_name: 'a',
    ...links,
  }
  const attestation = { attestation_name: 'scan', artifact_fingerprint: FINGERPRINT, is_compliant: true }
  await sendOnce(
    port,
    formatRequest('POST', `/api/v2/artifacts/${ORG}/history`, key, JSON.stringify(artifact)),
  )
  const path = `/api/v2/attestations/${ORG}/history/trail/t/generic`
  await sendOnce(port, formatRequest('POST', path, key, JSON.stringify(attestation)))
}

/** With one client, the rate is the inverse of the time per request. */
async function measureRates(from: BenchService, stored: number): Promise<number[]> {
  await fillTo(from, stored)
  const text = formatRequest(
    'GET',
    `/api/v2/attestations/${ORG}/history/artifact/${FINGERPRINT}/scan`,
    from.key,
    '',
  )
  const measured: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { per_second } = await runLoad({
      port: from.port,
      clients: 1,
      next: () => text,
      status: 200,
      duration_ms: REQUESTS_MS / ROUNDS,
    })
    measured.push(per_second)
  }
  return measured
}

/** Adds attestations like those of years of pipelines, inside the database because that is faster. */
async function fillTo(from: BenchService, stored: number): Promise<void> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  await client.query(
    `insert into attestations (org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts, attestation_name,
       attestation_type, is_compliant, report, reported_by, created_at)
     select w.org_id, gen_random_uuid(), w.flow_id, w.trail_id, null, '{}', 'name-' || (n % 1000), w.attestation_type,
       true, w.report, w.reported_by, w.created_at
     from (select * from attestations where attestation_name = 'scan' limit 1) w,
          generate_series(1, greatest(0, $1 - (select count(*) from attestations))::int) n`,
    [stored],
  )
  await client.query('analyze attestations')
  await client.end()
}

/** A load without duration sends exactly one request. */
async function sendOnce(port: number, text: string): Promise<void> {
  await runLoad({ port, clients: 1, next: () => text, status: 201, duration_ms: 0 })
}
