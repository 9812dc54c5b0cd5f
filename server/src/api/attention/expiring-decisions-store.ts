// The statement that reads which decisions expire soon and count for something that runs.
import type { Database } from '../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsPage,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'
import { WIRE_LENGTH } from '../../lib/ids.ts'

export const MAX_ENVIRONMENTS = 10

/**
 * Whether the evaluation of a running artifact `r` names the decision `w`, by its client-facing id, as meeting a
 * rule.
 */
const COUNTS = `exists (
  select from json_array_elements(
    case json_typeof(r.evaluation -> 'decisions') when 'array' then r.evaluation -> 'decisions' else '[]' end) d
  cross join lateral json_array_elements(d.value -> 'rules') rule
  cross join lateral json_array_elements(rule.value -> 'resolutions') met
  where met.value ->> 'type' = 'rule_satisfied'
    and (met.value -> 'context' -> 'attestation_ids')::jsonb ? left(w.attestation_id::text, ${WIRE_LENGTH}))`

const RUNNING = `
  select r.environment_id, r.evaluation from running_artifacts r
  where r.org_id = :org_id and r.fingerprint = b.fingerprint
  union all
  select x.environment_id, x.evaluation from running_alternates l
  cross join lateral (
    select y.environment_id, y.evaluation from running_artifacts y
    where y.org_id = :org_id and y.environment_id = l.environment_id and y.artifact_key = l.artifact_key limit 1
  ) x
  where l.org_id = :org_id and l.fingerprint = b.fingerprint`

/** A newer decision counts even before the artifacts are evaluated again. */
const REPLACED = `
  select from attestations x
  where x.org_id = :org_id and x.trail_id = w.trail_id and x.control = w.control and x.attestation_id > w.attestation_id
    and (x.artifact_id is null or x.artifact_id is not distinct from w.artifact_id)`

const expiring = defineStatement(
  'attention.expiring_decisions',
  { org_id: uuid, now: time, until: time, limit: int, shown: int },
  {
    attestation_id: uuid,
    attestation_name: text,
    control: nullable(text),
    flow_name: text,
    trail_name: text,
    artifact_fingerprint: nullable(text),
    artifact_name: nullable(text),
    reported_by: text,
    created_at: time,
    expires_at: time,
    environments: texts,
    total: count,
  },
  `with soon as materialized (
     select d.attestation_id, d.expires_at from expiring_decisions d
     where d.org_id = :org_id and d.expires_at > :now and d.expires_at <= :until
     order by d.expires_at, d.attestation_id limit :limit::int
   )
   select w.attestation_id, w.attestation_name, w.control, f.name as flow_name, t.name as trail_name,
     a.fingerprint as artifact_fingerprint, a.filename as artifact_name, w.reported_by, w.created_at, s.expires_at,
     counted.environments, count(*) over () as total
   from soon s
   cross join lateral (
     select x.* from attestations x where x.org_id = :org_id and x.attestation_id = s.attestation_id limit 1
   ) w
   cross join lateral (
     select x.name from trails x where x.org_id = :org_id and x.trail_id = w.trail_id limit 1
   ) t
   cross join lateral (
     select x.name from flows x where x.org_id = :org_id and x.flow_id = w.flow_id limit 1
   ) f
   left join lateral (
     select x.fingerprint, x.filename from artifacts x
     where x.org_id = :org_id and x.artifact_id = w.artifact_id limit 1
   ) a on true
   cross join lateral (
     select (array_agg(distinct e.name order by e.name))[1:${MAX_ENVIRONMENTS}] as environments
     from artifacts b
     cross join lateral (${RUNNING}) r
     cross join lateral (
       select x.name from environments x
       where x.org_id = :org_id and x.environment_id = r.environment_id and x.archived_at is null limit 1
     ) e
     where b.org_id = :org_id and b.trail_id = w.trail_id and ${COUNTS}
   ) counted
   where counted.environments is not null and not exists (${REPLACED})
   order by s.expires_at, w.attestation_id
   limit :shown::int`,
  readsPage,
)

export type ExpiringDecisionRow = RowOf<typeof expiring>

/** Soonest first. At most `limit` decisions that expire in the period are examined, and `shown` of them returned. */
export function listExpiringDecisions(
  db: Database,
  org_id: string,
  period: { now: Date; until: Date; limit: number; shown: number },
): Promise<ExpiringDecisionRow[]> {
  return db.runOnce({ org_id }, expiring, { org_id, ...period })
}
