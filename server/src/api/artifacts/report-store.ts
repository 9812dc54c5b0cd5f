// The statements that store reports of artifacts.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, json, nullable, type RowOf, text, uuid } from '../../db/statement.ts'
import { selectWireId } from '../trails/evaluate-store.ts'
import { EARLIER_ATTESTATIONS } from './earlier-attestations-store.ts'
import type { ArtifactReport } from './store.ts'

export interface ReportedArtifact {
  ordinal: number
  flow_name: string
  trail_name: string
  /** Used when the trail does not exist yet. */
  trail_id: string
  trail_event_id: string
  trail_event_data: Record<string, unknown>
  artifact_id: string
  event_id: string
  template_reference_name: string
  fingerprint: string
  filename: string
  git_commit: string | null
  /** The id of this report; the artifact keeps the id of its first one. */
  report_id: string
  /** Compliance as declared by the reporter; null when it is not declared. */
  is_compliant: boolean | null
  /** Whether earlier builds under the same name no longer count. */
  supersedes_earlier: boolean
  /** The trail template that came with the report; null keeps the current one. */
  template_id: string | null
  report: ArtifactReport
  actor: string
  caller_id: string
  idempotency_key: string | null
  request_sha256: string | null
  request_id: string
  now: string
}

// As json and not jsonb, to keep the order of keys as sent.
const ITEMS = `json_to_recordset(:items::json) as i(
  ordinal int, flow_name text, trail_name text, trail_id uuid, trail_event_id uuid, trail_event_data jsonb,
  artifact_id uuid, event_id uuid, template_reference_name text, fingerprint text, filename text, git_commit text,
  report_id uuid, is_compliant boolean, supersedes_earlier boolean, template_id uuid, report json, actor text, caller_id uuid, idempotency_key text, request_sha256 text, request_id text,
  now timestamptz)`

/** Begins the trails that do not exist yet, with the current template of the flow. */
export const beginMissingTrails = defineStatement(
  'artifacts.begin_missing_trails',
  { org_id: uuid, items: json<ReportedArtifact[]>() },
  { trail_id: uuid },
  `with item as (
     select distinct on (flow_id, i.trail_name) i.*, f.flow_id,
       coalesce(i.template_id, f.template_id) as start_template_id
     from ${ITEMS}
     join flows f on f.org_id = :org_id and f.flow_id = flow_named(:org_id, i.flow_name)
     where not exists (
       select from idempotency_keys k
       where k.org_id = :org_id and k.caller_id = i.caller_id and k.key = i.idempotency_key)
     order by flow_id, i.trail_name, i.ordinal
   ), begun as (
     insert into trails (org_id, trail_id, flow_id, name, description, template_id, git_commit_info,
                         compliance_state, evaluated_at, created_by, created_at, last_modified_at)
     select :org_id, item.trail_id, item.flow_id, item.trail_name, '', t.template_id,
            (item.report -> 'git_commit_info')::jsonb, t.fresh_state, item.now, item.actor, item.now, item.now
     from item join templates t on t.org_id = :org_id and t.template_id = item.start_template_id
     order by item.flow_id, item.trail_name
     on conflict (org_id, flow_id, name) do nothing
     returning trail_id, flow_id, name
   ), recorded as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select :org_id, item.trail_event_id, 'trail_reported', item.now, item.actor, item.request_id, item.flow_id,
            item.trail_id, item.trail_event_data || jsonb_build_object('template_id', item.start_template_id)
     from item join begun on begun.trail_id = item.trail_id
   ), indexed as (
     insert into trail_words (org_id, word, trail_id, flow_id)
     select :org_id, w.word, begun.trail_id, begun.flow_id from begun, name_words(begun.name) as w(word)
   )
   select trail_id from begun`,
)

// Words of a name that was reported before already exist.
const INDEX_WORDS = `
  insert into artifact_words (org_id, word, artifact_id, flow_id)
  select :org_id, w.word, stored.artifact_id, stored.flow_id from stored, name_words(stored.filename) as w(word)
  on conflict do nothing`

// The artifact shows the content of its newest report.
const UPDATE_TO_NEWEST = `
  filename = excluded.filename, git_commit = excluded.git_commit, report = excluded.report,
  report_id = excluded.report_id, reported_by = excluded.reported_by,
  is_declared_compliant = excluded.is_declared_compliant, last_modified_at = excluded.last_modified_at`

/** Stores each report and binds the attestations that waited for the artifact. */
export const storeArtifacts = defineStatement(
  'artifacts.store',
  { org_id: uuid, items: json<ReportedArtifact[]>() },
  { ordinal: int, flow_id: nullable(uuid), artifact_id: nullable(uuid), answered_sha256: nullable(text) },
  `with item as (
     select i.*, f.flow_id, k.request_sha256 as answered_sha256, t.trail_id as named_trail_id,
       case when k.key is null then t.trail_id end as found_trail_id
     from ${ITEMS}
     left join lateral (
       select x.key, x.request_sha256 from idempotency_keys x
       where x.org_id = :org_id and x.caller_id = i.caller_id and x.key = i.idempotency_key limit 1
     ) k on true
     left join lateral (select flow_named(:org_id, i.flow_name) as flow_id) f on true
     left join lateral (
       select x.trail_id from trails x
       where x.org_id = :org_id and x.flow_id = f.flow_id and x.name = i.trail_name limit 1
     ) t on true
   ), stored as (
     insert into artifacts as kept (org_id, artifact_id, flow_id, trail_id, template_reference_name, fingerprint,
       filename, git_commit, state, is_current, report_id, reported_by, is_declared_compliant, report, created_by,
       created_at, last_modified_at)
     select :org_id, artifact_id, flow_id, found_trail_id, template_reference_name, fingerprint, filename,
            git_commit, 'INCOMPLETE', not exists (
              select from item later
              where later.found_trail_id = item.found_trail_id and later.ordinal > item.ordinal
                and later.template_reference_name = item.template_reference_name and later.supersedes_earlier
            ), report_id, actor, is_compliant, report, actor, now, now
     from item where found_trail_id is not null
     on conflict (org_id, trail_id, template_reference_name, fingerprint) where trail_id is not null
     do update set is_current = excluded.is_current, ${UPDATE_TO_NEWEST}
     returning kept.artifact_id, kept.trail_id, kept.template_reference_name, kept.fingerprint, kept.git_commit,
       kept.flow_id, kept.filename
   ), reported as (
     insert into artifact_reports (org_id, report_id, artifact_id, filename, git_commit, is_compliant, report,
                                   reported_by, reported_at)
     select :org_id, item.report_id, stored.artifact_id, item.filename, item.git_commit, item.is_compliant,
            item.report, item.actor, item.now
     from item join stored on stored.trail_id = item.found_trail_id and stored.fingerprint = item.fingerprint
       and stored.template_reference_name = item.template_reference_name
   ), indexed as (
     ${INDEX_WORDS}
   ), superseded as (
     update artifacts a set is_current = false
     from item
     where item.supersedes_earlier and a.org_id = :org_id and a.trail_id = item.found_trail_id and a.is_current
       and a.template_reference_name = item.template_reference_name and a.fingerprint <> item.fingerprint
       and not exists (select from stored again where again.artifact_id = a.artifact_id)
   ), bound as (
     insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
                                 is_compliant, overridden_attestation_id)
     select distinct on (earlier.artifact_id, w.attestation_name)
       :org_id, earlier.trail_id, earlier.artifact_id, w.attestation_name, w.attestation_id,
       coalesce(stored_type(w.report ->> 'original_attestation_type'), w.attestation_type), w.is_compliant,
       w.overridden_attestation_id
     from (${EARLIER_ATTESTATIONS}) earlier
     cross join lateral (
       select * from attestations x where x.org_id = :org_id and x.attestation_id = earlier.attestation_id limit 1
     ) w
     order by earlier.artifact_id, w.attestation_name, w.attestation_id desc
     on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
       attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
       is_compliant = excluded.is_compliant, overridden_attestation_id = excluded.overridden_attestation_id
     where evidence_slots.attestation_id < excluded.attestation_id
   ), named as (
     insert into idempotency_keys (org_id, caller_id, key, request_sha256, created_at)
     select :org_id, caller_id, idempotency_key, request_sha256, now
     from item where found_trail_id is not null and idempotency_key is not null
   ), recorded as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select :org_id, item.event_id, 'artifact_creation_reported', item.now, item.actor, item.request_id,
       item.flow_id, item.found_trail_id, jsonb_build_object(
         'artifact_fingerprint', item.fingerprint, 'artifact_name', item.filename,
         'artifact_id', ${selectWireId('stored.artifact_id')}, 'template_reference_name', item.template_reference_name,
         'git_commit', item.git_commit, 'git_commit_info', item.report -> 'git_commit_info')
     from item join stored on stored.trail_id = item.found_trail_id and stored.fingerprint = item.fingerprint
       and stored.template_reference_name = item.template_reference_name
   )
   select item.ordinal, item.flow_id, item.answered_sha256, coalesce(stored.artifact_id, (
       select x.artifact_id from artifacts x
       where item.answered_sha256 is not null and x.org_id = :org_id and x.trail_id = item.named_trail_id
         and x.template_reference_name = item.template_reference_name and x.fingerprint = item.fingerprint
     )) as artifact_id
   from item
   left join stored on stored.trail_id = item.found_trail_id and stored.fingerprint = item.fingerprint
     and stored.template_reference_name = item.template_reference_name
   order by item.ordinal`,
)

export type StoredArtifact = RowOf<typeof storeArtifacts>

/** Changes the template of an existing trail and records the event. Runs before trails are locked and evaluated. */
export const applyTemplate = defineStatement(
  'artifacts.apply_template',
  { org_id: uuid, item: json<ReportedArtifact>() },
  {},
  `with item as (
     select i.*, flow_named(:org_id, i.flow_name) as flow_id
     from jsonb_to_record(:item::jsonb) as i(flow_name text, trail_name text, template_id uuid, actor text,
       trail_event_id uuid, trail_event_data jsonb, request_id text, now timestamptz)
   ), changed as (
     update trails t set template_id = item.template_id
     from item
     where t.org_id = :org_id and t.flow_id = item.flow_id and t.name = item.trail_name
       and t.template_id <> item.template_id
     returning t.trail_id, t.flow_id
   )
   insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
   select :org_id, item.trail_event_id, 'trail_updated', item.now, item.actor, item.request_id, changed.flow_id,
          changed.trail_id, item.trail_event_data
            || jsonb_build_object('template_id', item.template_id, 'changes', '["template"]'::jsonb)
   from item, changed`,
)

const storeLegacy = defineStatement(
  'artifacts.store_without_trail',
  { org_id: uuid, item: json<Omit<ReportedArtifact, 'trail_id' | 'trail_event_id' | 'trail_event_data'>>() },
  { flow_id: nullable(uuid), artifact_id: nullable(uuid) },
  `with item as (
     select i.*, f.flow_id, case when i.is_compliant is false then 'NON-COMPLIANT' else t.fresh_state end as state
     from json_to_record(:item::json) as i(artifact_id uuid, event_id uuid, flow_name text, fingerprint text,
       filename text, git_commit text, report_id uuid, is_compliant boolean, template_id uuid, report json,
       actor text, request_id text, now timestamptz)
     left join flows f on f.org_id = :org_id and f.flow_id = flow_named(:org_id, i.flow_name)
     left join templates t on t.org_id = :org_id and t.template_id = coalesce(i.template_id, f.template_id)
   ), stored as (
     insert into artifacts as kept (org_id, artifact_id, flow_id, fingerprint, filename, git_commit, state,
       is_current, report_id, reported_by, is_declared_compliant, report, created_by, created_at, last_modified_at)
     select :org_id, artifact_id, flow_id, fingerprint, filename, git_commit, state, true, report_id, actor,
            is_compliant, report, actor, now, now
     from item where flow_id is not null
     on conflict (org_id, flow_id, fingerprint) where trail_id is null
     do update set state = excluded.state, ${UPDATE_TO_NEWEST}
     returning kept.artifact_id, kept.flow_id, kept.filename
   ), reported as (
     insert into artifact_reports (org_id, report_id, artifact_id, filename, git_commit, is_compliant, report,
                                   reported_by, reported_at)
     select :org_id, item.report_id, stored.artifact_id, item.filename, item.git_commit, item.is_compliant,
            item.report, item.actor, item.now
     from item, stored
   ), indexed as (
     ${INDEX_WORDS}
   ), recorded as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, data)
     select :org_id, item.event_id, 'artifact_creation_reported', item.now, item.actor, item.request_id,
       item.flow_id, jsonb_build_object('artifact_fingerprint', item.fingerprint, 'artifact_name', item.filename,
         'artifact_id', ${selectWireId('stored.artifact_id')}, 'git_commit', item.git_commit)
     from item, stored
   )
   select (select flow_id from item) as flow_id, (select artifact_id from stored) as artifact_id`,
)

/** Stores a report without a trail (the older way): only the template of the flow applies to it. */
export async function storeWithoutTrail(db: Db, org_id: string, item: Record<string, unknown>) {
  const [row] = await db.run(storeLegacy, { org_id, item: item as never })
  return { flow_id: row?.flow_id ?? null, artifact_id: row?.artifact_id ?? null }
}
