// The statements that lock trails, read the evidence on them, and save the states that evaluate.ts computes.
import { toColumnsOfBatch } from '../../db/columns-of-rows.ts'
import { makeStep, type Step } from '../../db/database.ts'
import {
  bool,
  boolColumn,
  defineStatement,
  json,
  nullable,
  text,
  textColumn,
  texts,
  time,
  uuid,
  uuidColumn,
  uuids,
} from '../../db/statement.ts'
import type { Template } from '../../domain/template/template.ts'
import type { Slot } from '../../domain/trail/place-attestation.ts'
import { isAnnounced } from '../../notifications/flow-announce-store.ts'
import { selectFlowNamed } from '../shared/flow-names-store.ts'

/** A trail by the names callers use: a batch is sent before the ids are known. */
export interface NamedTrail {
  flow_name: string
  trail_name: string
}

/** Where `lockTrails` leaves the ids of the trails for later statements, which are sent before the ids are known. */
const LOCKED = "nullif(current_setting('app.locked_trails', true), '')::uuid[]"

const PAIRS = { flow_names: texts, trail_names: texts }

/**
 * Locks until the end of the batch, always in the same order: no trail is evaluated with half of its evidence.
 * Returns a row for every pair of names, even if there is no such flow or trail.
 */
export const lockTrails = defineStatement(
  'trails.lock_named',
  { org_id: uuid, ...PAIRS },
  {
    flow_name: text,
    trail_name: text,
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    template_id: nullable(uuid),
    /** Whether somebody is notified about the flow. */
    is_announced: bool,
  },
  // The limit makes PostgreSQL look up each trail through the index; a join could read the whole table.
  `with locked as materialized (
     select n.flow_name, n.trail_name, n.flow_id, t.trail_id, t.template_id, ${isAnnounced('n.flow_id')} as is_announced
     from (
       select i.flow_name, i.trail_name, meant.flow_id
       from unnest(:flow_names::text[], :trail_names::text[]) as i(flow_name, trail_name)
       cross join lateral ${selectFlowNamed('i.flow_name')} meant
       order by 3, 2
     ) n
     left join lateral (
       select x.trail_id, x.template_id from trails x
       where x.org_id = :org_id and x.flow_id = n.flow_id and x.name = n.trail_name
       limit 1 for update
     ) t on true
   )
   select l.flow_name, l.trail_name, l.flow_id, l.trail_id, l.template_id, l.is_announced
   from (
     select set_config('app.locked_trails', coalesce(
       (select array_agg(trail_id)::text from locked where trail_id is not null), ''), true) as ids
   ) known
   cross join locked l
   where known.ids is not null`,
)

/** A separate statement after the lock, so that it sees a template added by the previous holder of the lock. */
export const readTemplates = defineStatement(
  'trails.read_templates',
  { org_id: uuid },
  { template_id: uuid, template: json<Template>() },
  `select p.template_id, p.parsed as template from templates p
   where p.org_id = :org_id and p.template_id = any (array(
     select x.template_id from trails x where x.org_id = :org_id and x.trail_id = any (${LOCKED})))`,
)

/** For a larger trail, a batch reads only the builds that its reports touch (large-trails.ts). */
export const MAX_BUILDS = 200
export const MAX_SLOTS = 1_000

export const BUILD = {
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
}

export const SELECT_BUILD = `a.artifact_id, coalesce(a.template_reference_name, '') as template_reference_name,
     a.fingerprint, a.filename, a.git_commit, a.report_id, a.is_declared_compliant, a.reported_by, a.is_current, a.state`

/** Includes superseded builds: each keeps its own state. */
export const readBuilds = defineStatement(
  'trails.read_builds',
  { org_id: uuid },
  BUILD,
  `select t.trail_id, ${SELECT_BUILD}
   from unnest(${LOCKED}) t(trail_id)
   cross join lateral (
     select * from artifacts x where x.org_id = :org_id and x.trail_id = t.trail_id limit ${MAX_BUILDS + 1}
   ) a`,
)

export const SLOT = {
  artifact_id: uuid,
  attestation_name: text,
  attestation_id: uuid,
  counts_as_type: text,
  is_compliant: bool,
  overridden_attestation_id: nullable(uuid),
}

export const SELECT_SLOT = `e.trail_id, e.artifact_id, e.attestation_name, e.attestation_id, e.counts_as_type,
     e.is_compliant, e.overridden_attestation_id`

export const readSlots = defineStatement(
  'trails.read_slots',
  { org_id: uuid },
  { trail_id: uuid, ...SLOT },
  `select ${SELECT_SLOT}
   from unnest(${LOCKED}) t(trail_id)
   cross join lateral (
     select * from evidence_slots x where x.org_id = :org_id and x.trail_id = t.trail_id limit ${MAX_SLOTS + 1}
   ) e`,
)

/** The filled slots, each with the attestation that counts from now on. */
const saveSlots = defineStatement(
  'trails.save_slots',
  {
    org_id: uuid,
    trail_id: uuidColumn,
    artifact_id: uuidColumn,
    attestation_name: textColumn,
    attestation_id: uuidColumn,
    counts_as_type: textColumn,
    is_compliant: boolColumn,
    overridden_attestation_id: uuidColumn,
  },
  {},
  `insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
                               is_compliant, overridden_attestation_id)
   select :org_id, s.trail_id, s.artifact_id, s.attestation_name, s.attestation_id, s.counts_as_type, s.is_compliant,
          s.overridden_attestation_id
   from unnest(:trail_id::uuid[], :artifact_id::uuid[], :attestation_name::text[], :attestation_id::uuid[],
       :counts_as_type::text[], :is_compliant::boolean[], :overridden_attestation_id::uuid[])
     as s(trail_id, artifact_id, attestation_name, attestation_id, counts_as_type, is_compliant,
       overridden_attestation_id)
   on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
     attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
     is_compliant = excluded.is_compliant, overridden_attestation_id = excluded.overridden_attestation_id`,
)

const SLOT_COLUMNS = {
  trail_id: 'uuid',
  artifact_id: 'uuid',
  attestation_name: 'text',
  attestation_id: 'uuid',
  counts_as_type: 'text',
  is_compliant: 'bool',
  overridden_attestation_id: 'uuid',
} as const

export function buildSaveSlotsStep(org_id: string, slots: readonly (Slot & { trail_id: string })[]): Step {
  return makeStep(saveSlots, { org_id, ...toColumnsOfBatch(SLOT_COLUMNS, slots) })
}

// Also passes the ids as an array: joined with the list alone, PostgreSQL could read all trails of the organization.
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
