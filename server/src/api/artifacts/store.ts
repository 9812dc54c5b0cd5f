// Every statement about artifacts, but for those that list them (list-store.ts).
import type { Database, Db } from '../../db/database.ts'
import { int, json, nullable, type RowOf, statement, text, time, uuid } from '../../db/statement.ts'
import type { Period } from '../../domain/period.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'
import { idAfter, idBefore } from '../shared/id-bounds.ts'
import type { RepoInfo } from '../shared/wire.ts'
import { wireId } from '../trails/judge-store.ts'

/** With fewer characters the beginning of a fingerprint means no artifact. */
const SHORTEST_FINGERPRINT = 5

/** What was said of an artifact beyond the columns it is found by; kept as it was sent. */
export interface ArtifactReport {
  build_url: string
  commit_url: string
  repo_url?: string
  git_commit_info?: Record<string, unknown> | null
  commits_list?: unknown[]
  repo_info?: RepoInfo
  external_urls?: Record<string, unknown>
  annotations?: Record<string, string>
  user_data?: unknown
  description?: string
}

export interface ReportedArtifact {
  ordinal: number
  flow_name: string
  trail_name: string
  /** Used when the trail is not there yet. */
  trail_id: string
  trail_event_id: string
  trail_event_data: Record<string, unknown>
  artifact_id: string
  event_id: string
  template_reference_name: string
  fingerprint: string
  filename: string
  git_commit: string | null
  report: ArtifactReport
  actor: string
  caller_id: string
  idempotency_key: string | null
  request_sha256: string | null
  request_id: string
  now: string
}

// As json and not jsonb, so that what was sent keeps the order of its keys.
const ITEMS = `json_to_recordset(:items::json) as i(
  ordinal int, flow_name text, trail_name text, trail_id uuid, trail_event_id uuid, trail_event_data jsonb,
  artifact_id uuid, event_id uuid, template_reference_name text, fingerprint text, filename text, git_commit text,
  report json, actor text, caller_id uuid, idempotency_key text, request_sha256 text, request_id text,
  now timestamptz)`

/** A report names its trail; one that is not there yet begins with it, under the flow's template of the moment. */
export const beginMissingTrails = statement(
  'artifacts.begin_missing_trails',
  { org_id: uuid, items: json<ReportedArtifact[]>() },
  { trail_id: uuid },
  `with item as (
     select distinct on (flow_id, i.trail_name) i.*, f.flow_id, f.template_id
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
     from item join templates t on t.org_id = :org_id and t.template_id = item.template_id
     order by item.flow_id, item.trail_name
     on conflict (org_id, flow_id, name) do nothing
     returning trail_id, flow_id, name
   ), told as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select :org_id, item.trail_event_id, 'trail_reported', item.now, item.actor, item.request_id, item.flow_id,
            item.trail_id, item.trail_event_data || jsonb_build_object('template_id', item.template_id)
     from item join begun on begun.trail_id = item.trail_id
   ), worded as (
     insert into trail_words (org_id, word, trail_id, flow_id)
     select :org_id, w.word, begun.trail_id, begun.flow_id from begun, name_words(begun.name) as w(word)
   )
   select trail_id from begun`,
)

// Those of a name that was reported before are there.
const WORDS_OF_STORED = `
  insert into artifact_words (org_id, word, artifact_id, flow_id)
  select :org_id, w.word, stored.artifact_id, stored.flow_id from stored, name_words(stored.filename) as w(word)
  on conflict do nothing`

/** Stores each report, makes it the current build of its name, and binds the attestations that waited for it. */
export const storeArtifacts = statement(
  'artifacts.store',
  { org_id: uuid, items: json<ReportedArtifact[]>() },
  { ordinal: int, flow_id: nullable(uuid), artifact_id: nullable(uuid), answered_sha256: nullable(text) },
  `with item as (
     select i.*, f.flow_id, k.request_sha256 as answered_sha256,
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
       filename, git_commit, state, is_current, report, created_by, created_at, last_modified_at)
     select :org_id, artifact_id, flow_id, found_trail_id, template_reference_name, fingerprint, filename,
            git_commit, 'INCOMPLETE', not exists (
              select from item later
              where later.found_trail_id = item.found_trail_id and later.ordinal > item.ordinal
                and later.template_reference_name = item.template_reference_name
            ), report, actor, now, now
     from item where found_trail_id is not null
     on conflict (org_id, trail_id, template_reference_name, fingerprint) where trail_id is not null
     do update set filename = excluded.filename, git_commit = excluded.git_commit, report = excluded.report,
       is_current = excluded.is_current, last_modified_at = excluded.last_modified_at
     returning kept.artifact_id, kept.trail_id, kept.template_reference_name, kept.fingerprint, kept.git_commit,
       kept.flow_id, kept.filename
   ), worded as (
     ${WORDS_OF_STORED}
   ), superseded as (
     update artifacts a set is_current = false
     from stored
     where a.org_id = :org_id and a.trail_id = stored.trail_id and a.is_current
       and a.template_reference_name = stored.template_reference_name and a.fingerprint <> stored.fingerprint
       and not exists (select from stored again where again.artifact_id = a.artifact_id)
   ), bound as (
     insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
                                 is_compliant, overridden_attestation_id)
     select distinct on (said.artifact_id, w.attestation_name)
       :org_id, said.trail_id, said.artifact_id, w.attestation_name, w.attestation_id,
       case w.report ->> 'original_attestation_type' when 'decision' then 'system:decision'
         else coalesce(w.report ->> 'original_attestation_type', w.attestation_type) end, w.is_compliant,
       w.overridden_attestation_id
     from (
       -- What waited for a build of this name and commit.
       select stored.artifact_id, stored.trail_id, early.attestation_id
       from stored join attestations early on early.org_id = :org_id and early.trail_id = stored.trail_id
         and early.target_artifacts <> '{}' and early.git_commit = stored.git_commit
         and stored.template_reference_name = any (early.target_artifacts)
       union all
       -- What was said of the same fingerprint under another name.
       select stored.artifact_id, stored.trail_id, s.attestation_id
       from stored
       join artifacts twin on twin.org_id = :org_id and twin.trail_id = stored.trail_id
         and twin.fingerprint = stored.fingerprint and twin.artifact_id <> stored.artifact_id
       join evidence_slots s on s.org_id = :org_id and s.trail_id = stored.trail_id
         and s.artifact_id = twin.artifact_id
       join attestations said on said.org_id = :org_id and said.attestation_id = s.attestation_id
         and said.artifact_id is not null
     ) said
     join attestations w on w.org_id = :org_id and w.attestation_id = said.attestation_id
     order by said.artifact_id, w.attestation_name, w.attestation_id desc
     on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
       attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
       is_compliant = excluded.is_compliant, overridden_attestation_id = excluded.overridden_attestation_id
     where evidence_slots.attestation_id < excluded.attestation_id
   ), named as (
     insert into idempotency_keys (org_id, caller_id, key, request_sha256, created_at)
     select :org_id, caller_id, idempotency_key, request_sha256, now
     from item where found_trail_id is not null and idempotency_key is not null
   ), told as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select :org_id, item.event_id, 'artifact_creation_reported', item.now, item.actor, item.request_id,
       item.flow_id, item.found_trail_id, jsonb_build_object(
         'artifact_fingerprint', item.fingerprint, 'artifact_name', item.filename,
         'artifact_id', ${wireId('stored.artifact_id')}, 'template_reference_name', item.template_reference_name,
         'git_commit', item.git_commit, 'git_commit_info', item.report -> 'git_commit_info')
     from item join stored on stored.trail_id = item.found_trail_id and stored.fingerprint = item.fingerprint
       and stored.template_reference_name = item.template_reference_name
   )
   select item.ordinal, item.flow_id, stored.artifact_id, item.answered_sha256
   from item
   left join stored on stored.trail_id = item.found_trail_id and stored.fingerprint = item.fingerprint
     and stored.template_reference_name = item.template_reference_name
   order by item.ordinal`,
)

export type StoredArtifact = RowOf<typeof storeArtifacts>

export const ARTIFACT_ROW = {
  artifact_id: uuid,
  flow_name: text,
  trail_name: nullable(text),
  template_reference_name: nullable(text),
  fingerprint: text,
  filename: text,
  git_commit: nullable(text),
  state: text,
  report: json<ArtifactReport>(),
  created_by: text,
  created_at: time,
}

export const ARTIFACT_COLUMNS = `
  a.artifact_id, f.name as flow_name, t.name as trail_name, a.template_reference_name, a.fingerprint, a.filename,
  a.git_commit, a.state, a.report, a.created_by, a.created_at`

export const ARTIFACT_TABLES = `
  artifacts a
  join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
  left join trails t on t.org_id = a.org_id and t.trail_id = a.trail_id`

const byFingerprint = statement(
  'artifacts.by_fingerprint',
  { org_id: uuid, flow_name: text, prefix: text, trail_name: nullable(text) },
  { ...ARTIFACT_ROW, flow_id: uuid },
  `select ${ARTIFACT_COLUMNS}, a.flow_id
   from ${ARTIFACT_TABLES}
   where a.org_id = :org_id and a.flow_id = flow_named(:org_id, :flow_name)
     and a.fingerprint >= :prefix and a.fingerprint < :prefix || 'g'
     and (:trail_name::text is null or t.name = :trail_name)
   order by a.artifact_id desc`,
)

export type ArtifactRow = RowOf<typeof byFingerprint>

/** Every artifact of the flow whose fingerprint begins so, newest first. */
export function findByFingerprint(
  db: Db,
  org_id: string,
  wanted: { flow_name: string; prefix: string; trail_name: string | null },
) {
  return db.run(byFingerprint, { org_id, ...wanted })
}

const byCommit = statement(
  'artifacts.by_commit',
  { org_id: uuid, flow_name: text, prefix: text },
  { ...ARTIFACT_ROW, flow_id: uuid },
  `select ${ARTIFACT_COLUMNS}, a.flow_id
   from ${ARTIFACT_TABLES}
   where a.org_id = :org_id and a.flow_id = flow_named(:org_id, :flow_name)
     and a.git_commit >= :prefix and a.git_commit < :prefix || 'g'
   order by a.artifact_id desc`,
)

export function findByCommit(db: Db, org_id: string, wanted: { flow_name: string; prefix: string }) {
  return db.run(byCommit, { org_id, ...wanted })
}

const perDay = statement(
  'artifacts.per_day',
  { org_id: uuid, repo_id: uuid, least_id: uuid, past_id: uuid, from_at: time, to_at: time },
  { flow_name: text, days: json<{ day: string; count: number }[]>() },
  `select f.name as flow_name, json_agg(json_build_object('day', b.day, 'count', b.count)) as days
   from (
     select a.flow_id, to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as count
     from artifacts a
     where a.org_id = :org_id and a.artifact_id >= :least_id and a.artifact_id < :past_id
       and a.repo_id = :repo_id and a.created_at >= :from_at and a.created_at <= :to_at
     group by 1, 2
   ) b
   join flows f on f.org_id = :org_id and f.flow_id = b.flow_id and f.archived_at is null
   group by f.name
   order by f.name`,
)

/** How many were built from the repository by which flow on which day; found by the ids that the period can have. */
export function buildsPerDay(db: Db, org_id: string, repo_id: string, { from, to }: Period) {
  const ids = { least_id: idBefore(from), past_id: idAfter(to) }
  return db.run(perDay, { org_id, repo_id, ...ids, from_at: from, to_at: to })
}

const latestCommit = statement(
  'artifacts.latest_commit',
  { org_id: uuid, flow_name: text, fingerprint: text, branch: nullable(text) },
  { flow_id: nullable(uuid), git_commit: nullable(text) },
  `select flow_named(:org_id, :flow_name) as flow_id, (
     select a.git_commit from artifacts a
     where a.org_id = :org_id and a.flow_id = flow_named(:org_id, :flow_name) and a.git_commit is not null
       and not (length(:fingerprint) >= ${SHORTEST_FINGERPRINT} and starts_with(a.fingerprint, :fingerprint))
       and (:branch::text is null or a.report -> 'git_commit_info' ->> 'branch' = :branch or exists (
         select from json_array_elements(a.report -> 'commits_list') c
         where c ->> 'sha1' = a.git_commit and c ->> 'branch' = :branch))
     order by a.artifact_id desc limit 1) as git_commit`,
)

/** The commit of the newest other artifact of the flow. */
export async function findLatestCommit(
  db: Database,
  org_id: string,
  wanted: { flow_name: string; fingerprint: string; branch: string | null },
) {
  const [row] = await db.read({ org_id }, latestCommit, { org_id, ...wanted })
  return { flow_id: row?.flow_id ?? null, git_commit: row?.git_commit ?? null }
}

const storeLegacy = statement(
  'artifacts.store_without_trail',
  { org_id: uuid, item: json<Omit<ReportedArtifact, 'trail_id' | 'trail_event_id' | 'trail_event_data'>>() },
  { flow_id: nullable(uuid), artifact_id: nullable(uuid) },
  `with item as (
     select i.*, f.flow_id, t.fresh_state
     from json_to_record(:item::json) as i(artifact_id uuid, event_id uuid, flow_name text, fingerprint text,
       filename text, git_commit text, report json, actor text, request_id text, now timestamptz)
     left join flows f on f.org_id = :org_id and f.flow_id = flow_named(:org_id, i.flow_name)
     left join templates t on t.org_id = :org_id and t.template_id = f.template_id
   ), stored as (
     insert into artifacts as kept (org_id, artifact_id, flow_id, fingerprint, filename, git_commit, state,
       is_current, report, created_by, created_at, last_modified_at)
     select :org_id, artifact_id, flow_id, fingerprint, filename, git_commit, fresh_state, true, report, actor,
            now, now
     from item where flow_id is not null
     on conflict (org_id, flow_id, fingerprint) where trail_id is null
     do update set filename = excluded.filename, git_commit = excluded.git_commit, report = excluded.report,
       last_modified_at = excluded.last_modified_at
     returning kept.artifact_id, kept.flow_id, kept.filename
   ), worded as (
     ${WORDS_OF_STORED}
   ), told as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, data)
     select :org_id, item.event_id, 'artifact_creation_reported', item.now, item.actor, item.request_id,
       item.flow_id, jsonb_build_object('artifact_fingerprint', item.fingerprint, 'artifact_name', item.filename,
         'artifact_id', ${wireId('stored.artifact_id')}, 'git_commit', item.git_commit)
     from item, stored
   )
   select (select flow_id from item) as flow_id, (select artifact_id from stored) as artifact_id`,
)

/** The older kind of report: no trail, so it is judged by the flow's template alone. */
export async function storeWithoutTrail(db: Db, org_id: string, item: Record<string, unknown>) {
  const [row] = await db.run(storeLegacy, { org_id, item: item as never })
  return { flow_id: row?.flow_id ?? null }
}

const history = statement(
  'artifacts.history',
  { org_id: uuid, artifact_ids: json<string[]>() },
  { artifact_id: uuid, attestation_name: text, created_at: time },
  `select s.artifact_id, w.attestation_name, w.created_at
   from jsonb_array_elements_text(:artifact_ids::jsonb) wanted(id)
   join evidence_slots s on s.org_id = :org_id and s.artifact_id = wanted.id::uuid and s.artifact_id <> '${THE_TRAIL}'
   join attestations w on w.org_id = :org_id and w.trail_id = s.trail_id and w.attestation_name = s.attestation_name
     and (w.artifact_id = s.artifact_id or w.attestation_id = s.attestation_id)
   order by w.attestation_id`,
)

/** When which attestation was reported for each artifact, oldest first. */
export function attestationsOf(db: Db, org_id: string, artifact_ids: string[]) {
  return db.run(history, { org_id, artifact_ids })
}
