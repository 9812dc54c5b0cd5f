// The statements that lock trails, read the evidence on them, and save the states that evaluate.ts computes.
import { bool, defineStatement, json, nullable, text, texts, time, uuid, uuids } from '../../db/statement.ts'
import type { Template } from '../../domain/template/template.ts'
import type { Slot } from '../../domain/trail/place-attestation.ts'
import { flowNamed } from '../shared/flow-names-store.ts'

/** A trail by the names callers use: a batch is sent before the ids are known. */
export interface NamedTrail {
  flow_name: string
  trail_name: string
}

// The limit makes PostgreSQL look up each trail through the index; a join could read the whole table.
const TRAIL_BY_NAME = `
  select x.trail_id, x.template_id from trails x
  where x.org_id = :org_id and x.flow_id = n.flow_id and x.name = n.trail_name
  limit 1`

const NAMED = `(
  select distinct ${flowNamed('i.flow_name')} as flow_id, i.trail_name
  from jsonb_to_recordset(:trails::jsonb) as i(flow_name text, trail_name text)
  order by 1, 2
) n`

/** Locks until the end of the batch, always in the same order: no trail is evaluated with half of its evidence. */
export const lockTrails = defineStatement(
  'trails.lock_named',
  { org_id: uuid, trails: json<NamedTrail[]>() },
  { trail_id: uuid, flow_id: uuid, template_id: uuid },
  `select t.trail_id, n.flow_id, t.template_id from ${NAMED} cross join lateral (${TRAIL_BY_NAME} for update) t`,
)

/** A statement of its own after the lock, so that it sees a template that the previous holder of the lock added. */
export const readTemplates = defineStatement(
  'trails.read_templates',
  { org_id: uuid, trails: json<NamedTrail[]>() },
  { template_id: uuid, template: json<Template>() },
  `select p.template_id, p.parsed as template
   from (select distinct t.template_id from ${NAMED} cross join lateral (${TRAIL_BY_NAME}) t) used
   join templates p on p.org_id = :org_id and p.template_id = used.template_id`,
)

/** Superseded builds too: each keeps a state of its own. */
export const readBuilds = defineStatement(
  'trails.read_builds',
  { org_id: uuid, trails: json<NamedTrail[]>() },
  {
    trail_id: uuid,
    artifact_id: uuid,
    template_reference_name: text,
    fingerprint: text,
    filename: text,
    git_commit: nullable(text),
    report_id: uuid,
    is_declared_compliant: nullable(bool),
    reported_by: text,
    is_current: bool,
    state: text,
  },
  `select t.trail_id, a.artifact_id, coalesce(a.template_reference_name, '') as template_reference_name, a.fingerprint,
     a.filename, a.git_commit, a.report_id, a.is_declared_compliant, a.reported_by, a.is_current, a.state
   from ${NAMED} cross join lateral (${TRAIL_BY_NAME}) t
   cross join lateral (select * from artifacts x where x.org_id = :org_id and x.trail_id = t.trail_id offset 0) a`,
)

export const readSlots = defineStatement(
  'trails.read_slots',
  { org_id: uuid, trails: json<NamedTrail[]>() },
  {
    trail_id: uuid,
    artifact_id: uuid,
    attestation_name: text,
    attestation_id: uuid,
    counts_as_type: text,
    is_compliant: bool,
    overridden_attestation_id: nullable(uuid),
  },
  `select t.trail_id, e.artifact_id, e.attestation_name, e.attestation_id, e.counts_as_type, e.is_compliant,
     e.overridden_attestation_id
   from ${NAMED} cross join lateral (${TRAIL_BY_NAME}) t
   cross join lateral (select * from evidence_slots x where x.org_id = :org_id and x.trail_id = t.trail_id offset 0) e`,
)

/** Of the slots that were filled, each with the attestation that counts from now on. */
export const saveSlots = defineStatement(
  'trails.save_slots',
  { org_id: uuid, slots: json<(Slot & { trail_id: string })[]>() },
  {},
  `insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
                               is_compliant, overridden_attestation_id)
   select :org_id, s.trail_id, s.artifact_id, s.attestation_name, s.attestation_id, s.counts_as_type, s.is_compliant,
          s.overridden_attestation_id
   from jsonb_to_recordset(:slots::jsonb) as s(trail_id uuid, artifact_id uuid, attestation_name text,
     attestation_id uuid, counts_as_type text, is_compliant boolean, overridden_attestation_id uuid)
   on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
     attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
     is_compliant = excluded.is_compliant, overridden_attestation_id = excluded.overridden_attestation_id`,
)

// The ids as an array, too: joined with the list alone, PostgreSQL could read all trails of the organization.
export const saveTrailStates = defineStatement(
  'trails.save_states',
  { org_id: uuid, trail_ids: uuids, states: texts, now: time },
  {},
  `update trails t set compliance_state = v.state, evaluated_at = :now, last_modified_at = :now
   from unnest(:trail_ids::uuid[], :states::text[]) as v(trail_id, state)
   where t.org_id = :org_id and t.trail_id = any (:trail_ids::uuid[]) and t.trail_id = v.trail_id`,
)

export const saveArtifactStates = defineStatement(
  'artifacts.save_states',
  { org_id: uuid, artifact_ids: uuids, states: texts },
  {},
  `update artifacts a set state = v.state
   from unnest(:artifact_ids::uuid[], :states::text[]) as v(artifact_id, state)
   where a.org_id = :org_id and a.artifact_id = any (:artifact_ids::uuid[]) and a.artifact_id = v.artifact_id`,
)
