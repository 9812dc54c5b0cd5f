// The statements that store reports of artifacts.
import type { Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { EventAuthor } from '../../events/request-context.ts'
import { selectTrailContent } from '../../events/stored-rows-store.ts'
import { flowNamed, selectFlowNamed } from '../shared/flow-names-store.ts'
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
  author: EventAuthor
  now: string
}

/** The keys of a report and its trail. The content is sent only with the statement that stores it. */
export function toReportKeys(item: ReportedArtifact) {
  return {
    ordinal: item.ordinal,
    flow_name: item.flow_name,
    trail_name: item.trail_name,
    trail_id: item.trail_id,
    template_id: item.template_id,
    template_reference_name: item.template_reference_name,
    fingerprint: item.fingerprint,
    git_commit: item.git_commit,
    git_commit_info: item.report.git_commit_info ?? null,
    actor: item.actor,
    caller_id: item.caller_id,
    idempotency_key: item.idempotency_key,
    now: item.now,
  }
}

type ReportKeys = ReturnType<typeof toReportKeys>

/** A report on a missing trail begins it, with the flow's current template or with the report's own. */
export const beginMissingTrails = defineStatement(
  'artifacts.begin_missing_trails',
  { org_id: uuid, items: json<ReportKeys[]>() },
  { trail_id: uuid, state: text, content: text },
  `with item as (
     select distinct on (f.flow_id, i.trail_name) i.*, f.flow_id,
       coalesce(i.template_id, f.template_id) as start_template_id
     from jsonb_to_recordset(:items::jsonb) as i(ordinal int, flow_name text, trail_name text, trail_id uuid,
       template_id uuid, git_commit_info jsonb, actor text, caller_id uuid, idempotency_key text, now timestamptz)
     cross join lateral ${selectFlowNamed('i.flow_name')} meant
     join flows f on f.org_id = :org_id and f.flow_id = meant.flow_id
     where (
       select true from idempotency_keys k
       where k.org_id = :org_id and k.caller_id = i.caller_id and k.key = i.idempotency_key limit 1) is null
     order by f.flow_id, i.trail_name, i.ordinal
   ), begun as (
     insert into trails (org_id, trail_id, flow_id, name, description, template_id, git_commit_info,
                         compliance_state, evaluated_at, created_by, created_at, last_modified_at)
     select :org_id, item.trail_id, item.flow_id, item.trail_name, '', t.template_id,
            item.git_commit_info, t.fresh_state, item.now, item.actor, item.now, item.now
     from item join templates t on t.org_id = :org_id and t.template_id = item.start_template_id
     order by item.flow_id, item.trail_name
     on conflict (org_id, flow_id, name) do nothing
     returning *
   ), indexed as (
     insert into trail_words (org_id, word, trail_id, flow_id)
     select :org_id, w.word, begun.trail_id, begun.flow_id from begun, name_words(begun.name) as w(word)
   )
   select begun.trail_id, begun.compliance_state as state, ${selectTrailContent('begun', 't')} as content
   from begun join templates t on t.org_id = :org_id and t.template_id = begun.template_id`,
)

// The words of a file name reported before are already stored.
const insertWords = (stored: string) => `
  insert into artifact_words (org_id, word, artifact_id, flow_id)
  select :org_id, w.word, a.artifact_id, a.flow_id from ${stored} a, name_words(a.filename) as w(word)
  on conflict do nothing`

// The artifact shows the content of its newest report.
const UPDATE_TO_NEWEST = `
  filename = excluded.filename, git_commit = excluded.git_commit, report = excluded.report,
  report_id = excluded.report_id, reported_by = excluded.reported_by,
  is_declared_compliant = excluded.is_declared_compliant, last_modified_at = excluded.last_modified_at`

export type BegunTrail = RowOf<typeof beginMissingTrails>

// Each step is a separate look-up (`offset 0`): in a join, tables without statistics are read in full.
const EARLIER = `
  -- Attestations that wait for a build of this name and commit.
  select x.attestation_id from attestations x where x.org_id = :org_id and x.trail_id = t.trail_id
    and x.target_artifacts <> '{}' and x.git_commit = i.git_commit
    and i.template_reference_name = any (x.target_artifacts)
  union all
  -- Attestations of the same fingerprint under another name.
  select s.attestation_id
  from (
    select x.artifact_id from artifacts x where x.org_id = :org_id and x.trail_id = t.trail_id
      and x.fingerprint = i.fingerprint and x.template_reference_name <> i.template_reference_name offset 0
  ) twin
  cross join lateral (
    select x.attestation_id from evidence_slots x
    where x.org_id = :org_id and x.trail_id = t.trail_id and x.artifact_id = twin.artifact_id offset 0
  ) s
  where exists (
    select from attestations x where x.org_id = :org_id and x.attestation_id = s.attestation_id
      and x.artifact_id is not null offset 0
  )`

/** The attestations that arrived before their artifact, with what each puts into its slot. */
export const readEarlierAttestations = defineStatement(
  'artifacts.earlier_attestations',
  { org_id: uuid, items: json<ReportKeys[]>() },
  {
    ordinal: int,
    attestation_name: text,
    attestation_id: uuid,
    counts_as_type: text,
    is_compliant: bool,
    overridden_attestation_id: nullable(uuid),
  },
  `select i.ordinal, w.attestation_name, w.attestation_id, w.is_compliant, w.overridden_attestation_id,
     coalesce(stored_type(w.report ->> 'original_attestation_type'), w.attestation_type) as counts_as_type
   from jsonb_to_recordset(:items::jsonb) as i(ordinal int, flow_name text, trail_name text, fingerprint text,
     git_commit text, template_reference_name text)
   cross join lateral ${selectFlowNamed('i.flow_name')} meant
   cross join lateral (
     select x.trail_id from trails x
     where x.org_id = :org_id and x.flow_id = meant.flow_id and x.name = i.trail_name limit 1
   ) t
   cross join lateral (${EARLIER}) early
   cross join lateral (
     select * from attestations x where x.org_id = :org_id and x.attestation_id = early.attestation_id limit 1
   ) w
   order by i.ordinal, w.attestation_id`,
)

export type EarlierAttestation = RowOf<typeof readEarlierAttestations>

/** A report with the ids for its names, and the artifact's resulting state. */
export interface NewArtifact extends ReportedArtifact {
  flow_id: string
  trail_id: string
  state: string
  is_current: boolean
}

// As json and not jsonb, so that the report keeps its key order.
export const saveArtifacts = defineStatement(
  'artifacts.save',
  { org_id: uuid, reports: json<NewArtifact[]>() },
  {},
  `with reported as (
     select * from json_to_recordset(:reports::json) as i(ordinal int, artifact_id uuid, flow_id uuid, trail_id uuid,
       template_reference_name text, fingerprint text, filename text, git_commit text, state text, is_current boolean,
       report_id uuid, actor text, is_compliant boolean, report json, now timestamptz)
   ), newest as (
     select distinct on (artifact_id) * from reported order by artifact_id, ordinal desc
   ), stored as (
     insert into artifacts (org_id, artifact_id, flow_id, trail_id, template_reference_name, fingerprint, filename,
       git_commit, state, is_current, report_id, reported_by, is_declared_compliant, report, created_by, created_at,
       last_modified_at)
     select :org_id, artifact_id, flow_id, trail_id, template_reference_name, fingerprint, filename, git_commit,
       state, is_current, report_id, actor, is_compliant, report, actor, now, now
     from newest
     on conflict (org_id, trail_id, template_reference_name, fingerprint) where trail_id is not null
     do update set state = excluded.state, is_current = excluded.is_current, ${UPDATE_TO_NEWEST}
     returning artifact_id, flow_id, filename
   ), indexed as (
     ${insertWords('stored')}
   )
   insert into artifact_reports (org_id, report_id, artifact_id, filename, git_commit, is_compliant, report,
                                 reported_by, reported_at)
   select :org_id, report_id, artifact_id, filename, git_commit, is_compliant, report, actor, now from reported`,
)

export const supersedeArtifacts = defineStatement(
  'artifacts.supersede',
  { org_id: uuid, artifact_ids: uuids },
  {},
  `update artifacts set is_current = false where org_id = :org_id and artifact_id = any (:artifact_ids::uuid[])`,
)

/** Gives a trail another template. Sent before the trails are locked and read. */
export const applyTemplate = defineStatement(
  'artifacts.apply_template',
  { org_id: uuid, flow_name: text, trail_name: text, template_id: uuid },
  { trail_id: uuid, content: text },
  `update trails r set template_id = :template_id
   from templates t
   where r.org_id = :org_id and r.flow_id = ${flowNamed(':flow_name')} and r.name = :trail_name
     and r.template_id <> :template_id and t.org_id = :org_id and t.template_id = :template_id
   returning r.trail_id, ${selectTrailContent('r', 't')} as content`,
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
     cross join lateral ${selectFlowNamed('i.flow_name')} meant
     left join flows f on f.org_id = :org_id and f.flow_id = meant.flow_id
     cross join lateral (select coalesce(i.template_id, f.template_id) as template_id offset 0) used
     left join templates t on t.org_id = :org_id and t.template_id = used.template_id
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
     ${insertWords('stored')}
   )
   select (select flow_id from item) as flow_id, (select artifact_id from stored) as artifact_id`,
)

/** A report of the older kind, without a trail: the flow's template alone decides its state. */
export async function storeWithoutTrail(db: Db, org_id: string, item: Record<string, unknown>) {
  const [row] = await db.run(storeLegacy, { org_id, item: item as never })
  return { flow_id: row?.flow_id ?? null, artifact_id: row?.artifact_id ?? null }
}
