// The SQL of erasure: finds what can be erased, and empties it. The application role may update these columns to the values
// below only (the policies only_erase).
import type { Db } from '../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'
import { ERASED } from '../domain/log/erasure.ts'

const BODY = {
  epoch: int,
  seq: count,
  leaf_kind: text,
  event_id: uuid,
  /** Null if the month of the event is detached. */
  kind: nullable(text),
  happened_at: nullable(time),
  actor: nullable(text),
  flow_id: nullable(uuid),
  trail_id: nullable(uuid),
  environment_id: nullable(uuid),
  policy_id: nullable(uuid),
  erased_by: nullable(text),
  attestation_id: nullable(text),
  report_id: nullable(text),
  snapshot_index: nullable(text),
  state: nullable(text),
  /** The rows that the event's parts name. */
  rows: texts,
}

const SELECT_BODY = `
  l.epoch, l.seq, l.kind as leaf_kind, l.event_id, e.kind, e.happened_at, e.actor, e.flow_id, e.trail_id, e.environment_id,
  e.policy_id, e.data ->> 'erased_by' as erased_by, e.data ->> 'attestation_id' as attestation_id,
  e.data ->> 'report_id' as report_id, e.data ->> 'snapshot_index' as snapshot_index, e.parts #>> '{state,sha256}' as state,
  array(select p.part ->> 'row' from jsonb_each(e.parts) as p(name, part)
        where jsonb_typeof(p.part) = 'object' and p.part ? 'row') as rows`

const EVENT = 'events e on e.org_id = l.org_id and e.event_id = l.event_id'

const find = defineStatement(
  'log.find_body',
  { org_id: uuid, epoch: int, index: count },
  BODY,
  `select ${SELECT_BODY} from log_leaves l left join ${EVENT}
   where l.org_id = :org_id and l.epoch = :epoch and l.seq = :index`,
)

export type BodyRow = RowOf<typeof find>

export async function findBody(
  tx: Db,
  org_id: string,
  leaf: { epoch: number; index: number },
): Promise<BodyRow | undefined> {
  return (await tx.run(find, { org_id, ...leaf }))[0]
}

/** A place in all logs of an organization. */
export interface LogPlace {
  epoch: number
  index: number
}

const skip = defineStatement(
  'log.skip_leaves',
  { org_id: uuid, epoch: int, index: count, limit: int },
  { epoch: int, index: count },
  `select l.epoch, l.seq as index from log_leaves l
   where l.org_id = :org_id and (l.epoch, l.seq) >= (:epoch, :index)
   order by l.epoch, l.seq offset :limit::int limit 1`,
  readsPage,
)

/** The place after this many leaves; undefined if there are no more. */
export async function skipLeaves(
  tx: Db,
  org_id: string,
  from: LogPlace,
  limit: number,
): Promise<LogPlace | undefined> {
  return (await tx.run(skip, { org_id, ...from, limit }))[0]
}

// Events name people by their names, and older events by nothing else. Accounts and jobs may have the same names.
const ofPerson = defineStatement(
  'log.list_bodies_of_person',
  {
    org_id: uuid,
    epoch: int,
    index: count,
    limit: int,
    user: text,
    email: nullable(text),
    kept_kinds: texts,
  },
  BODY,
  `select ${SELECT_BODY} from (
     select x.* from log_leaves x
     where x.org_id = :org_id and (x.epoch, x.seq) >= (:epoch, :index)
     order by x.epoch, x.seq limit :limit::int
   ) l join ${EVENT}
   where e.salt is not null and not e.kind = any (:kept_kinds) and (
     e.actor = :user and coalesce(e.caller ->> 'kind', 'user') = 'user'
     or e.data ->> 'user' = :user or e.data ->> 'owner' = :user
     or lower(e.data ->> 'email') = lower(:email) or lower(e.data ->> 'user_name') = lower(:email))
   order by l.epoch, l.seq`,
  readsPage,
)

/** The person whose bodies to find, and among how many leaves. */
export interface PersonScan extends LogPlace {
  limit: number
  user: string
  email: string | null
  kept_kinds: string[]
}

export function listBodiesOfPerson(tx: Db, org_id: string, scan: PersonScan): Promise<BodyRow[]> {
  return tx.run(ofPerson, { org_id, ...scan })
}

// Attached bytes that no other attestation names are no longer used.
const emptyAttestations = defineStatement(
  'log.empty_attestations',
  { org_id: uuid, attestation_ids: uuids },
  {},
  `with known as (
     select a.attestation_id, a.evidence_sha256 as sha256, a.evidence_bytes as bytes from attestations a
     where a.org_id = :org_id and a.attestation_id = any (:attestation_ids::uuid[]) and a.reported_by <> '${ERASED}'
   ), named as (
     select k.sha256, k.bytes from known k where k.sha256 is not null
     union
     select x.stored_sha256, x.stored_bytes from attestation_files x
     where x.org_id = :org_id and x.attestation_id = any (:attestation_ids::uuid[])
   ), emptied as (
     update attestations a set reported_by = '${ERASED}', evidence_sha256 = null, evidence_name = null, evidence_bytes = null,
       report = case when a.report ->> 'original_attestation_type' is null then '{}'::json
         else json_build_object('original_attestation_type', a.report -> 'original_attestation_type') end
     from known where a.org_id = :org_id and a.attestation_id = known.attestation_id
   )
   update org_usage u set evidence_bytes = greatest(0, u.evidence_bytes - unnamed.bytes)
   from (
     select sum(k.bytes)::bigint as bytes from (select distinct on (sha256) sha256, bytes from named) k
     where not exists (
       select from attestations x where x.org_id = :org_id and x.evidence_sha256 = k.sha256
         and x.attestation_id <> all (:attestation_ids::uuid[]))
       and not exists (
       select from attestation_files x where x.org_id = :org_id and x.stored_sha256 = k.sha256
         and x.attestation_id <> all (:attestation_ids::uuid[]))
   ) unnamed
   where u.org_id = :org_id and unnamed.bytes > 0`,
)

// Runs after the attestations: files can be removed only then.
const removeFiles = defineStatement(
  'log.remove_files',
  { org_id: uuid, attestation_ids: uuids },
  {},
  `delete from attestation_files x
   where x.org_id = :org_id and x.attestation_id = any (:attestation_ids::uuid[])`,
)

const EMPTY_REPORT = `'{"build_url": "", "commit_url": ""}'::json`

const emptyReports = defineStatement(
  'log.empty_artifact_reports',
  { org_id: uuid, report_ids: uuids },
  {},
  `with known as (
     select r.report_id, r.artifact_id, r.reported_by from artifact_reports r
     where r.org_id = :org_id and r.report_id = any (:report_ids::uuid[]) and r.reported_by <> '${ERASED}'
   ), emptied as (
     update artifact_reports r set reported_by = '${ERASED}', report = ${EMPTY_REPORT}
     from known where r.org_id = :org_id and r.report_id = known.report_id
   )
   update artifacts a set
     created_by = case when a.created_by = any (k.reported_by) then '${ERASED}' else a.created_by end,
     reported_by = case when a.report_id = any (k.report_ids) then '${ERASED}' else a.reported_by end,
     report = case when a.report_id = any (k.report_ids) then ${EMPTY_REPORT} else a.report end
   from (
     select artifact_id, array_agg(report_id) as report_ids, array_agg(reported_by) as reported_by
     from known group by artifact_id
   ) k
   where a.org_id = :org_id and a.artifact_id = k.artifact_id`,
)

// The commit stays, without its authors.
const emptyTrails = defineStatement(
  'log.empty_trails',
  { org_id: uuid, trail_ids: uuids, actors: texts },
  {},
  `update trails t set description = '', origin_url = null, external_urls = null, user_data = null,
     git_commit_info = t.git_commit_info - '{message,author,author_username}'::text[],
     created_by = case when t.created_by = any (:actors) then '${ERASED}' else t.created_by end
   where t.org_id = :org_id and t.trail_id = any (:trail_ids::uuid[])`,
)

/** The ids of everything that the erased events name. */
export interface NamedParts {
  attestation_ids: string[]
  report_ids: string[]
  trail_ids: string[]
  actors: string[]
}

export async function emptyParts(tx: Db, org_id: string, named: NamedParts): Promise<void> {
  const { attestation_ids, report_ids, trail_ids, actors } = named
  if (attestation_ids.length > 0) {
    await tx.run(emptyAttestations, { org_id, attestation_ids })
    await tx.run(removeFiles, { org_id, attestation_ids })
  }
  if (report_ids.length > 0) await tx.run(emptyReports, { org_id, report_ids })
  if (trail_ids.length > 0) await tx.run(emptyTrails, { org_id, trail_ids, actors })
}

const erase = defineStatement(
  'log.erase_events',
  { org_id: uuid, erasures: json<{ event_id: string; erased_by: string }[]>() },
  { event_id: uuid },
  `update events e set actor = '${ERASED}', request_id = '${ERASED}', caller = null, parts = null, salt = null,
     data = jsonb_build_object('erased_by', x.erased_by)
   from jsonb_to_recordset(:erasures::jsonb) as x(event_id uuid, erased_by text)
   where e.org_id = :org_id and e.event_id = x.event_id and e.salt is not null
   returning e.event_id`,
)

/** Returns how many were erased: fewer if another transaction has erased some meanwhile. */
export async function eraseEvents(
  tx: Db,
  org_id: string,
  erasures: { event_id: string; erased_by: string }[],
): Promise<number> {
  return (await tx.run(erase, { org_id, erasures })).length
}

const findErasure = defineStatement(
  'log.find_erasure',
  { org_id: uuid, event_id: uuid },
  { index: count, actor: text, happened_at: time, reason: text },
  `select l.seq as index, e.actor, e.happened_at, e.data ->> 'reason' as reason
   from events e join log_leaves l on l.org_id = e.org_id and l.event_id = e.event_id
   where e.org_id = :org_id and e.event_id = :event_id and e.kind = 'body_erased'`,
)

export type Erasure = RowOf<typeof findErasure>

export async function findErasureBy(tx: Db, org_id: string, event_id: string): Promise<Erasure | undefined> {
  return (await tx.run(findErasure, { org_id, event_id }))[0]
}
