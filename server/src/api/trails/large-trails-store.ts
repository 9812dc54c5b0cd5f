// The statements that read only the touched builds of large trails, and a summary of the others.
import { defineStatement, json, nullable, text, uuid, uuids } from '../../db/statement.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import { BUILD, SELECT_BUILD, SELECT_SLOT, SLOT } from './evaluate-store.ts'

/** The builds of a fingerprint, or of a name: those from a commit or, if it is null, the current ones. */
export interface TouchedBuild {
  fingerprint: string | null
  name: string | null
  git_commit: string | null
}

export interface TouchedRow extends TouchedBuild {
  trail_id: string
}

const touched = json<readonly TouchedRow[]>()

const SELECT_TOUCHED = `
     select distinct i.trail_id, found.artifact_id
     from jsonb_to_recordset(:touched::jsonb) as i(trail_id uuid, fingerprint text, name text, git_commit text)
     cross join lateral (
       select x.artifact_id from artifacts x
       where x.org_id = :org_id and x.trail_id = i.trail_id and x.fingerprint = i.fingerprint
       union all
       select x.artifact_id from artifacts x
       where x.org_id = :org_id and x.trail_id = i.trail_id and x.template_reference_name = i.name
         and (x.git_commit = i.git_commit or (i.git_commit is null and x.is_current))
     ) found`

export const readTouchedBuilds = defineStatement(
  'trails.read_touched_builds',
  { org_id: uuid, touched, whole_ids: uuids },
  BUILD,
  `select t.trail_id, ${SELECT_BUILD}
   from (${SELECT_TOUCHED}) t
   cross join lateral (
     select * from artifacts x where x.org_id = :org_id and x.artifact_id = t.artifact_id limit 1
   ) a
   union all
   select a.trail_id, ${SELECT_BUILD}
   from artifacts a where a.org_id = :org_id and a.trail_id = any (:whole_ids::uuid[])`,
)

export const readTouchedSlots = defineStatement(
  'trails.read_touched_slots',
  { org_id: uuid, touched, whole_ids: uuids, trail_ids: uuids },
  { trail_id: uuid, ...SLOT },
  `select ${SELECT_SLOT}
   from (
     ${SELECT_TOUCHED}
     union all
     select r.trail_id, '${TRAIL_SUBJECT}' from unnest(:trail_ids::uuid[]) r(trail_id)
   ) t
   cross join lateral (
     select * from evidence_slots x
     where x.org_id = :org_id and x.trail_id = t.trail_id and x.artifact_id = t.artifact_id
     offset 0
   ) e
   union all
   select ${SELECT_SLOT}
   from evidence_slots e where e.org_id = :org_id and e.trail_id = any (:whole_ids::uuid[])`,
)

/** Untouched current builds: their distinct states, and which template names are built. */
export const readOtherBuilds = defineStatement(
  'trails.read_other_builds',
  { org_id: uuid, touched, trail_ids: uuids },
  { trail_id: uuid, state: nullable(text), name: nullable(text) },
  `with touched as materialized (${SELECT_TOUCHED})
   select r.trail_id, s.state, null as name
   from unnest(:trail_ids::uuid[]) r(trail_id)
   cross join unnest(array['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT']) s(state)
   cross join lateral (
     select from artifacts x
     where x.org_id = :org_id and x.trail_id = r.trail_id and x.state = s.state and x.is_current
       and x.artifact_id <> all (array(select t.artifact_id from touched t))
     limit 1
   ) one
   union all
   select r.trail_id, null, slot.name
   from unnest(:trail_ids::uuid[]) r(trail_id)
   cross join lateral (
     select x.template_id from trails x where x.org_id = :org_id and x.trail_id = r.trail_id limit 1
   ) trail
   cross join lateral (
     select x.parsed from templates x where x.org_id = :org_id and x.template_id = trail.template_id limit 1
   ) template
   cross join lateral jsonb_to_recordset(template.parsed -> 'trail' -> 'artifacts') as slot(name text)
   cross join lateral (
     select from artifacts x
     where x.org_id = :org_id and x.trail_id = r.trail_id and x.template_reference_name = slot.name and x.is_current
       and x.artifact_id <> all (array(select t.artifact_id from touched t))
     limit 1
   ) one`,
)
