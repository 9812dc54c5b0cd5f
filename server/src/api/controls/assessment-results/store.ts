// The statements behind OSCAL assessment results: every control with the number of environments that require it, and
// the decisions of a period.
import type { Db } from '../../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../../../db/statement.ts'

const LIVE_ENVIRONMENTS = `e.org_id = :org_id and e.archived_at is null and e.type <> 'logical'`

const assessed = defineStatement(
  'controls.assessed',
  { org_id: uuid },
  {
    identifier: text,
    name: text,
    version: int,
    archived: bool,
    environments: count,
    environments_covered: count,
  },
  `with pair as materialized (
     select distinct rule.value ->> 'for_control' as control, e.environment_id
     from environments e
     join environment_policies a on a.org_id = e.org_id and a.environment_id = e.environment_id
     join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id and p.archived_at is null
     join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version
     cross join lateral jsonb_array_elements(v.parsed -> 'artifacts' -> 'attestations') rule
     where ${LIVE_ENVIRONMENTS} and rule.value ->> 'for_control' is not null
   ), covered as materialized (
     select x.control, count(*) as environments from pair x group by x.control
   )
   select c.identifier, c.name, c.version, c.archived_at is not null as archived,
     (select count(*) from environments e where ${LIVE_ENVIRONMENTS}) as environments,
     coalesce((select x.environments from covered x where x.control = c.identifier), 0) as environments_covered
   from controls c where c.org_id = :org_id
   order by c.identifier`,
)

export type AssessedRow = RowOf<typeof assessed>

/** Includes archived controls. Coverage is counted as in GET …/coverage. */
export function listAssessedControls(db: Db, org_id: string): Promise<AssessedRow[]> {
  return db.run(assessed, { org_id })
}

const decided = defineStatement(
  'controls.decided',
  { org_id: uuid, from_at: time, to_at: time, from_id: uuid, to_id: uuid, limit: int },
  {
    attestation_id: uuid,
    control: text,
    control_version: nullable(int),
    attestation_name: text,
    flow_name: text,
    trail_name: text,
    artifact_name: nullable(text),
    artifact_fingerprint: nullable(text),
    is_compliant: bool,
    reported_by: text,
    created_at: time,
    expires_at: nullable(time),
  },
  `select w.attestation_id, c.identifier as control, w.control_version, w.attestation_name, f.name as flow_name,
     t.name as trail_name, a.filename as artifact_name, a.fingerprint as artifact_fingerprint, w.is_compliant,
     w.reported_by, w.created_at, w.expires_at
   from controls c
   join attestations w on w.org_id = c.org_id and w.control = c.identifier and w.control is not null
     and w.attestation_id > :from_id and w.attestation_id < :to_id
   join flows f on f.org_id = w.org_id and f.flow_id = w.flow_id
   join trails t on t.org_id = w.org_id and t.trail_id = w.trail_id
   left join artifacts a on a.org_id = w.org_id and a.artifact_id = w.artifact_id
   where c.org_id = :org_id and w.created_at >= :from_at and w.created_at <= :to_at
   order by w.attestation_id
   limit :limit::int`,
)

export type DecidedRow = RowOf<typeof decided>

export interface DecidedFilter {
  from_at: Date
  to_at: Date
  /** Exclusive bounds. */
  from_id: string
  to_id: string
  limit: number
}

/** Oldest first; only decisions on existing controls. */
export function listDecisionsInPeriod(db: Db, org_id: string, filter: DecidedFilter): Promise<DecidedRow[]> {
  return db.run(decided, { org_id, ...filter })
}
