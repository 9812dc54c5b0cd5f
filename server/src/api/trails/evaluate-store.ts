// The statements that evaluate trails and their artifacts: the locks while evidence changes, and the state that the
// evidence results in. They compute the same verdict as domain/trail/evaluate.ts, for many trails at once; a property
// test compares the two.
import { defineStatement, json, nullable, text, time, uuid } from '../../db/statement.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'

/** A trail by name, because batches are sent before ids are looked up. */
export interface NamedTrail {
  flow_name: string
  trail_name: string
}

/** An id in the API format (lib/ids.ts), for statements that write it into an event. */
export const selectWireId = (column: string): string => `left(${column}::text, 32)`

// The limit forces one index lookup per name, whatever the table statistics say: without it, PostgreSQL may plan a join
// that starts at the trails.
const TRAIL_BY_NAME = `
  select x.trail_id, x.template_id from trails x
  where x.org_id = :org_id and x.flow_id = n.flow_id and x.name = n.trail_name
  limit 1`

const NAMED = `(
  select distinct flow_named(:org_id, i.flow_name) as flow_id, i.trail_name
  from jsonb_to_recordset(:trails::jsonb) as i(flow_name text, trail_name text)
  order by 1, 2
) n`

/** Locks the trails until the end of the batch, always in one order, so no trail is evaluated by partial evidence. */
export const lockTrails = defineStatement(
  'trails.lock_named',
  { org_id: uuid, trails: json<NamedTrail[]>() },
  { trail_id: uuid },
  `select t.trail_id from ${NAMED} cross join lateral (${TRAIL_BY_NAME} for update) t`,
)

export const evaluateTrails = defineStatement(
  'trails.evaluate_named',
  { org_id: uuid, trails: json<NamedTrail[]>(), now: time },
  { trail_id: nullable(uuid), compliance_state: nullable(text) },
  `with touched as (
     select t.trail_id, t.template_id from ${NAMED} cross join lateral (${TRAIL_BY_NAME}) t
   ), own as (
     select t.trail_id, t.template_id,
       exists (
         select from template_slots s
         where s.org_id = :org_id and s.template_id = t.template_id and s.artifact_name = ''
           and not exists (
             select from evidence_slots e
             where e.org_id = :org_id and e.trail_id = t.trail_id and e.artifact_id = '${THE_TRAIL}'
               and e.attestation_name = s.name and type_fits(s.type, e.counts_as_type))
       ) as is_missing,
       exists (
         select from evidence_slots e
         where e.org_id = :org_id and e.trail_id = t.trail_id and e.artifact_id = '${THE_TRAIL}'
           and not e.is_compliant
       ) as is_false
     from touched t
   ), artifact as (
     select a.artifact_id, a.trail_id, a.state, a.is_current,
       exists (
         select from template_slots s
         where s.org_id = :org_id and s.template_id = own.template_id
           and s.artifact_name = a.template_reference_name
           and not exists (
             select from evidence_slots e
             where e.org_id = :org_id and e.trail_id = a.trail_id and e.artifact_id = a.artifact_id
               and e.attestation_name = s.name and type_fits(s.type, e.counts_as_type))
       ) as is_missing,
       a.is_declared_compliant is false or exists (
         select from evidence_slots e
         where e.org_id = :org_id and e.trail_id = a.trail_id and e.artifact_id = a.artifact_id
           and not e.is_compliant
       ) as is_false,
       own.is_missing as trail_is_missing, own.is_false as trail_is_false
     from own cross join lateral (
       select x.artifact_id, x.trail_id, x.state, x.is_current, x.is_declared_compliant, x.template_reference_name
       from artifacts x
       where x.org_id = :org_id and x.trail_id = own.trail_id
       offset 0
     ) a
   ), artifact_verdict as (
     update artifacts a
     set state = v.state
     from (
       select artifact_id, case
         when is_false or trail_is_false then 'NON-COMPLIANT'
         when is_missing or trail_is_missing then 'INCOMPLETE'
         else 'COMPLIANT' end as state
       from artifact
     ) v
     where a.org_id = :org_id and a.artifact_id = v.artifact_id and a.state <> v.state
   )
   update trails t
   set compliance_state = case
         when own.is_false or exists (
           select from artifact a where a.trail_id = own.trail_id and a.is_current and a.is_false
         ) then 'NON-COMPLIANT'
         when own.is_missing or exists (
           select from artifact a where a.trail_id = own.trail_id and a.is_current and a.is_missing
         ) or exists (
           select from template_artifacts m
           where m.org_id = :org_id and m.template_id = own.template_id and not exists (
             select from artifacts a
             where a.org_id = :org_id and a.trail_id = own.trail_id and a.template_reference_name = m.name)
         ) then 'INCOMPLETE'
         else 'COMPLIANT' end,
       evaluated_at = :now, last_modified_at = :now
   from own
   where t.org_id = :org_id and t.trail_id = own.trail_id
   returning t.trail_id, t.compliance_state`,
)
