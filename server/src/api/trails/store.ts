// Every statement about trails, except those that list them (list-store.ts).
import {
  computed,
  toColumnList,
  toExcludedList,
  toSelectList,
  toSetList,
  toValueList,
} from '../../db/columns.ts'
import { type Database, type Db, makeStep, type Step } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  json,
  nullable,
  PLANNED_ONCE,
  type RowOf,
  text,
  time,
  uuid,
} from '../../db/statement.ts'
import type { Tags } from '../../domain/tags.ts'
import type { Template } from '../../domain/template/template.ts'
import { selectTrailContent } from '../../events/stored-rows-store.ts'
import { NEW_REPO, NEW_REPO_RECORD, REPORTED_REPO, type ReportedRepo } from '../repos/store.ts'
import { flowMeant, flowNamed } from '../shared/flow-names-store.ts'
import type { ExternalUrls, GitCommitInfo, RepoInfo } from '../shared/wire.ts'
import { SLOT } from './evaluate-store.ts'

/** The fields that callers can set; omitted keys keep their values. */
export interface TrailFields {
  description?: string
  user_data?: unknown
  git_commit_info?: GitCommitInfo
  repo_info?: RepoInfo
  external_urls?: ExternalUrls
  origin_url?: string
}

export interface NewTrail {
  flow_name: string
  trail_id: string
  name: string
  /** Null for the current template of the flow. */
  template_id: string | null
  fields: TrailFields
  collected_at: Date | null
  spooled: boolean | null
  /** Its repository, stored and linked with it. */
  repo: ReportedRepo | null
  actor: string
  now: Date
}

export interface BegunTrail {
  flow_id: string | null
  trail_id: string | null
  template_id: string | null
  content: string | null
}

/** Columns with optional input from the caller. */
const SENT = {
  git_commit_info: nullable(json<GitCommitInfo>()),
  repo_info: nullable(json<RepoInfo>()),
  origin_url: nullable(text),
  external_urls: nullable(json<ExternalUrls>()),
  user_data: nullable(json<unknown>()),
}

/** The columns that a report of the trail sets. */
const FIELDS = { description: text, template_id: uuid, ...SENT }

/** Stated by the sender of the request that begins the trail, and never changed. */
const COLLECTION = { collected_at: nullable(time), spooled: nullable(bool) }

const begin = defineStatement(
  'trails.begin',
  {
    org_id: uuid,
    flow_name: text,
    trail_id: uuid,
    name: text,
    description: text,
    template_id: nullable(uuid),
    ...SENT,
    ...COLLECTION,
    repo: nullable(json<ReportedRepo>()),
    actor: text,
    now: time,
  },
  {
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    template_id: nullable(uuid),
    content: nullable(text),
  },
  `with flow as (
     select f.flow_id, f.template_id from flows f
     where f.org_id = :org_id and f.flow_id = ${flowNamed(':flow_name')} and f.archived_at is null
   ), begun as (
     insert into trails (org_id, trail_id, flow_id, name, description, template_id, ${toColumnList(SENT)}, ${toColumnList(COLLECTION)},
                         compliance_state, evaluated_at, created_by, created_at, last_modified_at)
     select :org_id, :trail_id, flow.flow_id, :name, :description, t.template_id, ${toValueList(SENT)}, ${toValueList(COLLECTION)},
            t.fresh_state, :now, :actor, :now, :now
     from flow
     cross join lateral (select coalesce(:template_id, flow.template_id) as template_id offset 0) used
     join templates t on t.org_id = :org_id and t.template_id = used.template_id
     on conflict (org_id, flow_id, name) do nothing
     returning *
   ), saved_repo as (
     insert into repos (org_id, ${toColumnList(NEW_REPO)}, created_at, last_modified_at)
     select :org_id, ${toSelectList('i', NEW_REPO)}, :now, :now
     from begun, jsonb_to_record(:repo::jsonb) as i(${NEW_REPO_RECORD})
     where :repo is not null and not exists (
       select from repos known
       where known.org_id = :org_id and known.provider = i.provider and known.external_id = i.external_id
         and (${toSelectList('known', REPORTED_REPO)}) = (${toSelectList('i', REPORTED_REPO)}))
     on conflict (org_id, provider, external_id) do update set
       ${toExcludedList(REPORTED_REPO)}, last_modified_at = excluded.last_modified_at
     returning repo_id
   ), linked as (
     insert into trail_repos (org_id, trail_id, repo_id)
     select :org_id, begun.trail_id, coalesce(
       (select repo_id from saved_repo),
       (select r.repo_id from repos r where r.org_id = :org_id and r.provider = :repo ->> 'provider'
          and r.external_id = :repo ->> 'external_id'))
     from begun where :repo is not null
   ), indexed as (
     insert into trail_words (org_id, word, trail_id, flow_id)
     select :org_id, w.word, begun.trail_id, begun.flow_id from begun, name_words(:name) as w(word)
   )
   select (select flow_id from flow) as flow_id, b.trail_id, b.template_id, case when b.trail_id is not null then ${selectTrailContent('b', 't')} end as content
   from (values (true)) one(row) left join begun b on true
   left join templates t on t.org_id = :org_id and t.template_id = b.template_id`,
)

/** A new trail with its content, as the log covers it. */
export interface NewlyBegun {
  flow_id: string
  template_id: string
  content: string
}

/**
 * Inserts a new trail and runs the steps for it: `trail_id` is null if the name is taken, `flow_id` if the flow does not
 * exist.
 */
export function beginTrail(
  db: Database,
  org_id: string,
  trail: NewTrail,
  buildSteps: (begun: NewlyBegun) => Step[],
): Promise<BegunTrail> {
  return db.runPipeline(
    { org_id },
    {
      reads: [makeStep(begin, toBeginParams(org_id, trail))],
      decide: ([rows]) => {
        const begun = toBegunTrail(rows as BegunTrail[])
        const { flow_id, template_id, content } = begun
        const isNew = flow_id !== null && template_id !== null && content !== null
        const writes = isNew ? buildSteps({ flow_id, template_id, content }) : []
        return { writes, outcome: begun }
      },
    },
  )
}

/** The same as `beginTrail`, in a transaction and without steps after it. */
export async function beginTrailIn(tx: Db, org_id: string, trail: NewTrail): Promise<BegunTrail> {
  return toBegunTrail(await tx.run(begin, toBeginParams(org_id, trail)))
}

function toBegunTrail([row]: BegunTrail[]): BegunTrail {
  return row ?? { flow_id: null, trail_id: null, template_id: null, content: null }
}

function toBeginParams(org_id: string, trail: NewTrail) {
  const { fields, ...rest } = trail
  return {
    org_id,
    ...rest,
    description: fields.description ?? '',
    git_commit_info: fields.git_commit_info ?? null,
    repo_info: fields.repo_info ?? null,
    origin_url: fields.origin_url ?? null,
    external_urls: fields.external_urls ?? null,
    user_data: fields.user_data ?? null,
  }
}

const LOCKED = { trail_id: uuid, ...FIELDS }

const lock = defineStatement(
  'trails.lock',
  { org_id: uuid, flow_id: uuid, name: text },
  LOCKED,
  `select ${toColumnList(LOCKED)}
   from trails where org_id = :org_id and flow_id = :flow_id and name = :name for update`,
)

export type LockedTrail = RowOf<typeof lock>

export async function lockTrail(db: Db, org_id: string, flow_id: string, name: string) {
  return (await db.run(lock, { org_id, flow_id, name }))[0]
}

const update = defineStatement(
  'trails.update',
  { org_id: uuid, trail_id: uuid, ...FIELDS, now: time },
  {},
  `update trails set ${toSetList(FIELDS)}, last_modified_at = :now
   where org_id = :org_id and trail_id = :trail_id`,
)

export async function updateTrail(db: Db, org_id: string, trail: LockedTrail & { now: Date }): Promise<void> {
  await db.run(update, { org_id, ...trail })
}

/** Read from `trails r` and their `flows f`. */
export const TRAIL = {
  trail_id: uuid,
  name: text,
  ...FIELDS,
  compliance_state: text,
  evaluated_at: time,
  created_by: text,
  created_at: time,
  ...COLLECTION,
  last_modified_at: time,
  flow_name: computed(text, 'f.name'),
  flow_tags: computed(json<Tags>(), 'f.tags'),
  /** Whether its flow is archived. */
  is_archived: computed(bool, 'f.archived_at is not null'),
}

const TRAIL_DETAIL = {
  ...TRAIL,
  template_content: computed(text, 't.content'),
  template: computed(json<Template>(), 't.parsed'),
  repo_ids: computed(
    json<string[]>(),
    `select coalesce(jsonb_agg(l.repo_id order by l.repo_id), '[]') from trail_repos l
     where l.org_id = r.org_id and l.trail_id = r.trail_id`,
  ),
}

const find = defineStatement(
  'trails.find',
  { org_id: uuid, flow_name: text, trail_name: text },
  TRAIL_DETAIL,
  `select ${toSelectList('r', TRAIL_DETAIL)}
   from trails r
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   join templates t on t.org_id = r.org_id and t.template_id = r.template_id
   where r.org_id = :org_id and r.flow_id = ${flowMeant(':flow_name')} and r.name = :trail_name`,
  PLANNED_ONCE,
)

export type TrailDetail = RowOf<typeof find>

/** A trail by name, so all of its data can be read in one round trip. */
export interface TrailNames {
  flow_name: string
  trail_name: string
}

export async function findTrail(db: Db, org_id: string, trail: TrailNames): Promise<TrailDetail | undefined> {
  return (await db.run(find, { org_id, ...trail }))[0]
}

const NAMED_TRAIL = `(
  select n.trail_id from trails n
  where n.org_id = :org_id and n.flow_id = ${flowMeant(':flow_name')} and n.name = :trail_name)`

const exists = defineStatement(
  'trails.exists',
  { org_id: uuid, flow_id: uuid, trail_name: text },
  { trail_id: uuid },
  'select trail_id from trails where org_id = :org_id and flow_id = :flow_id and name = :trail_name',
)

export async function trailExists(
  db: Db,
  org_id: string,
  flow_id: string,
  trail_name: string,
): Promise<boolean> {
  return (await db.run(exists, { org_id, flow_id, trail_name })).length > 0
}

const listSlots = defineStatement(
  'trails.evidence_slots',
  { org_id: uuid, flow_name: text, trail_name: text },
  SLOT,
  `select artifact_id, attestation_name, attestation_id, counts_as_type, is_compliant, overridden_attestation_id
   from evidence_slots where org_id = :org_id and trail_id = ${NAMED_TRAIL}`,
)

const listArtifacts = defineStatement(
  'trails.current_artifacts',
  { org_id: uuid, flow_name: text, trail_name: text },
  {
    artifact_id: uuid,
    template_reference_name: text,
    fingerprint: text,
    report_id: uuid,
    is_declared_compliant: nullable(bool),
    reported_by: text,
  },
  `select artifact_id, coalesce(template_reference_name, '') as template_reference_name, fingerprint, report_id,
     is_declared_compliant, reported_by
   from artifacts
   where org_id = :org_id and trail_id = ${NAMED_TRAIL} and is_current`,
)

const listWaiting = defineStatement(
  'trails.waiting_attestations',
  { org_id: uuid, flow_name: text, trail_name: text },
  {
    attestation_id: uuid,
    attestation_name: text,
    target_artifacts: json<string[]>(),
    git_commit: nullable(text),
  },
  `select w.attestation_id, w.attestation_name, to_jsonb(w.target_artifacts) as target_artifacts, w.git_commit
   from attestations w
   where w.org_id = :org_id and w.trail_id = ${NAMED_TRAIL} and w.target_artifacts <> '{}' and not exists (
     select from artifacts x where x.org_id = :org_id and x.trail_id = w.trail_id and x.git_commit = w.git_commit
       and x.template_reference_name = any (w.target_artifacts))
   order by w.attestation_id`,
)

/** The evidence of a trail, and attestations that wait for their artifact, in one round trip. */
export async function readTrailEvidence(db: Db, org_id: string, trail: TrailNames) {
  const [slots, artifacts, waiting] = await Promise.all([
    db.run(listSlots, { org_id, ...trail }),
    db.run(listArtifacts, { org_id, ...trail }),
    db.run(listWaiting, { org_id, ...trail }),
  ])
  return { slots, artifacts, waiting }
}

export type StoredEvidence = Awaited<ReturnType<typeof readTrailEvidence>>
