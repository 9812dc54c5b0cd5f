// Fills the organization of a benchmark as years of pipelines would, inside the database because that is faster.
import pg from 'pg'
import { type BenchService, ORG } from './bench-service.ts'

/** `flow-0` must exist; the others get its template. */
export const FLOWS = 20

export const nameFlow = (n: number) => `flow-${n % FLOWS}`
export const nameTrail = (n: number) => `trail-${n}`

/** Fills the organization of a running service. */
export async function fillOrg(from: BenchService, after: number, to: number): Promise<void> {
  const { owner } = await from.readDatabaseAddresses()
  const client = new pg.Client(owner)
  await client.connect()
  await fillFlows(client, after, to)
  await client.query('vacuum analyze')
  await client.end()
}

/**
 * A trail, an artifact and an attestation for each number, spread over the flows; inserted by the database. The schema of
 * the oldest version that may use it has these columns too.
 */
export async function fillFlows(client: pg.Client, after: number, to: number): Promise<void> {
  const prefix = Date.now().toString(16).padStart(12, '0')
  const id = (kind: string, n: string) =>
    `('${prefix.slice(0, 8)}-${prefix.slice(8)}-7${kind}-8000-' || lpad(to_hex(${n}), 8, '0') || '0000')::uuid`
  const own = `select f0.org_id, f0.template_id from flows f0 join orgs o using (org_id) where o.name = '${ORG}' and f0.name = 'flow-0'`
  const flow = `(select flow_id from flows x where x.org_id = own.org_id and x.name = 'flow-' || (n % ${FLOWS}))`
  const rows = `from (${own}) own, generate_series(${after + 1}, ${to}) n`
  if (after === 0) {
    await client.query(`
      insert into flows (org_id, flow_id, name, description, visibility, template_id, created_by, created_at, last_modified_at)
      select own.org_id, ${id('001', 'n')}, 'flow-' || n, '', 'private', own.template_id, 'x', now(), now()
      from (${own}) own, generate_series(1, ${FLOWS}) n`)
  }
  await client.query(`
    insert into trails (org_id, trail_id, flow_id, name, description, template_id, compliance_state, evaluated_at,
      created_by, created_at, last_modified_at)
    select own.org_id, ${id('002', 'n')}, ${flow}, 'trail-' || n, '', own.template_id, 'COMPLIANT', now(), 'x', now(),
      now() ${rows}`)
  await client.query(`
    insert into artifacts (org_id, artifact_id, flow_id, trail_id, template_reference_name, fingerprint, filename,
      git_commit, state, is_current, report, report_id, reported_by, created_by, created_at, last_modified_at)
    select own.org_id, ${id('003', 'n')}, ${flow}, ${id('002', 'n')}, 'image', lpad(to_hex(n), 64, '0'), 'image',
      lpad(to_hex(n), 40, '0'), 'COMPLIANT', true, '{"build_url": "", "commit_url": ""}', ${id('003', 'n')}, 'x', 'x',
      now(), now() ${rows}`)
  await client.query(`
    insert into artifact_reports (org_id, report_id, artifact_id, filename, git_commit, report, reported_by, reported_at)
    select own.org_id, ${id('003', 'n')}, ${id('003', 'n')}, 'image', lpad(to_hex(n), 40, '0'), '{"build_url": "", "commit_url": ""}',
      'x', now() ${rows}`)
  await client.query(`
    insert into attestations (org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts,
      attestation_name, attestation_type, is_compliant, report, reported_by, created_at)
    select own.org_id, ${id('004', 'n')}, ${flow}, ${id('002', 'n')}, ${id('003', 'n')}, '{}', 'unit', 'generic', true,
      '{}', 'x', now() ${rows}`)
  await client.query(`
    insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
      is_compliant)
    select own.org_id, ${id('002', 'n')}, ${id('003', 'n')}, 'unit', ${id('004', 'n')}, 'generic', true ${rows}`)
  await client.query(`
    insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
    select own.org_id, ${id('005', 'n')}, 'attestation_reported', now(), 'x', 'bench-request', ${flow}, ${id('002', 'n')}, '{}' ${rows}`)
}
