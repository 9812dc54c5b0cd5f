// Attests in an organization with many trails, by the number of clients, against a fixed floor: one pgbench statement
// that writes the same durable rows, on the same database, with the same role. `BENCH_TRAILS` sets the number of
// trails.
import pg from 'pg'
import { makeAttestRun, REPORT, type Run } from './attest-run.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { type CpuTime, measureCpu } from './cpu-time.ts'
import { FLOWS, fillOrg, nameFlow } from './fill-org.ts'
import { hasPgbench, preparePgbench } from './pgbench.ts'
import { computeMedian, print, printNote, printRatio, printTitle } from './report.ts'

const TRAILS = Number(process.env.BENCH_TRAILS ?? 20_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const PHASE_MS = 3_000
const WARM_UP_MS = 2_000
/** A service that has run for a minute: until then, Node is still compiling hot code. */
const FIRST_WARM_UP = { clients: 32, requests: 20_000 }
const AIMS = new Map([
  [1, 0.35],
  [8, 0.5],
  [32, 0.8],
  [64, 0.9],
])

const service = await startService()
const attest = makeAttestRun(service, TRAILS)
try {
  await service.put(`/flows/${ORG}`, { name: nameFlow(0), description: '' })
  await fillOrg(service, 0, TRAILS)
  await warmUp()
  const floor = hasPgbench() ? await prepareFloor(service) : undefined
  printTitle(`Attest in an organization of ${TRAILS} trails: durable, ${ROUNDS} rounds`)
  if (!floor) printNote('pgbench is not installed, so there is nothing to compare with')
  for (const [clients, at_least] of AIMS) {
    const measured = await alternate(service, { ours: attest, ...(floor ? { floor } : {}) }, clients)
    const name = `attest, ${clients} ${clients === 1 ? 'client' : 'clients'}`
    const [ours, least] = [measured.get('ours'), measured.get('floor')]
    if (ours && least) printRatio(`${name} / one statement of pgbench`, ours.rates, least.rates, { at_least })
    for (const [who, { rates, per_request }] of measured) {
      print({ name: `${name}: ${who}`, value: computeMedian(rates), unit: 'per s', spread: rates })
      print({ name: `${name}: ${who}, CPU of the service`, value: per_request.service_us, unit: 'µs' })
      print({ name: `${name}: ${who}, CPU of PostgreSQL`, value: per_request.database_us, unit: 'µs' })
    }
  }
} finally {
  await service.stop()
}

interface Measured {
  rates: number[]
  per_request: CpuTime
}

async function alternate(
  from: BenchService,
  runs: Record<string, Run>,
  clients: number,
): Promise<Map<string, Measured>> {
  const sums = Object.entries(runs).map(([name, run]) => {
    const cpu = { service_us: 0, database_us: 0 }
    return { name, run, cpu, requests: 0, rates: [] as number[] }
  })
  for (const { run } of sums) await run(clients, WARM_UP_MS)
  const where = { pids: [from.pid], data_dir: from.data_dir }
  for (let round = 0; round < ROUNDS; round++) {
    for (const sum of sums) {
      const { result, cpu } = await measureCpu(where, () => sum.run(clients, PHASE_MS))
      sum.rates.push(result.per_second)
      sum.requests += result.requests
      sum.cpu.service_us += cpu.service_us
      sum.cpu.database_us += cpu.database_us
    }
  }
  return new Map(
    sums.map(({ name, rates, requests, cpu }) => {
      const per_request = { service_us: cpu.service_us / requests, database_us: cpu.database_us / requests }
      return [name, { rates, per_request }]
    }),
  )
}

async function warmUp(): Promise<void> {
  for (let sent = 0; sent < FIRST_WARM_UP.requests; ) {
    sent += (await attest(FIRST_WARM_UP.clients, WARM_UP_MS)).requests
  }
}

/** The attestation, its slot, its event, and the new state of the trail. */
function buildFloor(): string {
  return `
\\set n random(1, ${TRAILS})
with trail as (
  select t.org_id, t.trail_id, t.flow_id, uuidv7() as attestation_id
  from flows f join trails t on t.org_id = f.org_id and t.flow_id = f.flow_id and t.name = 'trail-' || :n
  where f.org_id = current_setting('app.org')::uuid and f.name = 'flow-' || (:n % ${FLOWS})
), attestation as (
  insert into attestations (org_id, attestation_id, flow_id, trail_id, target_artifacts, attestation_name,
    attestation_type, is_compliant, git_commit, report, reported_by, created_at)
  select org_id, attestation_id, flow_id, trail_id, '{}', 'unit-tests', 'generic', true,
    '${REPORT.git_commit_info.sha1}', '${formatJson(REPORT)}'::json, 'floor', now()
  from trail
), slot as (
  insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
    is_compliant)
  select org_id, trail_id, '00000000-0000-0000-0000-000000000000', 'unit-tests', attestation_id, 'generic', true
  from trail
  on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
    attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
    is_compliant = excluded.is_compliant
), event as (
  insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
  select org_id, uuidv7(), 'trail_attestation_reported', now(), 'floor', 'floor', flow_id, trail_id,
    '${formatJson({ ...REPORT, attestation_type: 'generic', is_compliant: true })}'::jsonb
  from trail
)
update trails t set compliance_state = 'COMPLIANT', evaluated_at = now(), last_modified_at = now()
from trail where t.org_id = trail.org_id and t.trail_id = trail.trail_id;
`
}

/** With a space after each colon: pgbench would take a colon before a letter for one of its variables. */
function formatJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('":', '": ')
}

async function prepareFloor(from: BenchService): Promise<Run> {
  const { owner, app } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query('select org_id from orgs where name = $1', [ORG])
  await client.end()
  const settings = { 'app.org': rows[0].org_id, plan_cache_mode: 'force_generic_plan', jit: 'off' }
  return preparePgbench({ folder: from.data_dir, address: app, settings, text: buildFloor() })
}
