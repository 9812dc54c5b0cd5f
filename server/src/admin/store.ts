// The SQL of the integrity check and of the first start. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { bool, defineStatement, int, json, text, uuid } from '../db/statement.ts'
import type { Template } from '../domain/template/template.ts'

const MAX_SHOWN = 100
const BATCH_SIZE = 500
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export interface StoredSlot {
  artifact_id: string
  attestation_name: string
  attestation_id: string
  counts_as_type: string
  is_compliant: boolean
}

interface StoredArtifact {
  artifact_id: string
  template_reference_name: string
  fingerprint: string
  report_id: string
  is_declared_compliant: boolean | null
  reported_by: string
}

const FIRST_RUN_LOCK = 7_294_002

const lockFirstRun = defineStatement(
  'first_run.lock',
  {},
  { locked: bool },
  `select true as locked from pg_advisory_xact_lock(${FIRST_RUN_LOCK})`,
)

/** Held until the transaction ends: if two processes start at once, the second sees what the first created. */
export async function lockForFirstRun(db: Db): Promise<void> {
  await db.run(lockFirstRun, {})
}

const unguarded = defineStatement(
  'check.unguarded_tables',
  {},
  { name: text },
  `select c.relname::text as name from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
     and not (c.relrowsecurity and c.relforcerowsecurity)
   order by 1`,
)

export async function findUnguardedTables(db: Db): Promise<string[]> {
  return (await db.run(unguarded, {})).map(row => row.name)
}

const unexplained = defineStatement(
  'check.unexplained_trails',
  {},
  { name: text },
  `select o.name || '/' || f.name || '/' || r.name as name
   from trails r
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   join orgs o on o.org_id = r.org_id
   where not exists (
     select from events e
     where e.org_id = r.org_id and e.trail_id = r.trail_id and e.kind = 'trail_reported'
   )
   -- Events of detached months are not here.
   and r.trail_id >= coalesce(events_kept_from(), '${FIRST_ID}')
   limit ${MAX_SHOWN}`,
)

export async function findUnexplainedTrails(db: Db): Promise<string[]> {
  return (await db.run(unexplained, {})).map(row => row.name)
}

const trailBatch = defineStatement(
  'check.trails',
  { after_org: uuid, after_trail: uuid, limit: int },
  {
    org_id: uuid,
    trail_id: uuid,
    name: text,
    compliance_state: text,
    template: json<Template>(),
    slots: json<StoredSlot[]>(),
    artifacts: json<StoredArtifact[]>(),
  },
  `select r.org_id, r.trail_id, o.name || '/' || f.name || '/' || r.name as name, r.compliance_state,
     t.parsed as template,
     (select coalesce(jsonb_agg(s), '[]') from evidence_slots s
      where s.org_id = r.org_id and s.trail_id = r.trail_id) as slots,
     (select coalesce(jsonb_agg(jsonb_build_object('artifact_id', a.artifact_id,
        'template_reference_name', a.template_reference_name, 'fingerprint', a.fingerprint,
        'report_id', a.report_id, 'is_declared_compliant', a.is_declared_compliant,
        'reported_by', a.reported_by)), '[]')
      from artifacts a where a.org_id = r.org_id and a.trail_id = r.trail_id and a.is_current) as artifacts
   from trails r
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   join templates t on t.org_id = r.org_id and t.template_id = r.template_id
   join orgs o on o.org_id = r.org_id
   where (r.org_id, r.trail_id) > (:after_org, :after_trail)
   order by r.org_id, r.trail_id
   limit :limit::int`,
)

/** Every trail with its template and evidence, read in batches because there may be millions. */
export async function* listTrailsWithEvidence(db: Db) {
  let last = { org_id: FIRST_ID, trail_id: FIRST_ID }
  for (;;) {
    const batch = await db.run(trailBatch, {
      after_org: last.org_id,
      after_trail: last.trail_id,
      limit: BATCH_SIZE,
    })
    yield* batch
    const end = batch.at(-1)
    if (!end || batch.length < BATCH_SIZE) return
    last = end
  }
}
