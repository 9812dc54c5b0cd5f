// Every statement about attestations: storing them with their effects, and reading them.
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
} from '../../db/statement.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'
import { selectWireId } from '../trails/evaluate-store.ts'

export interface ReportedAttestation {
  ordinal: number
  flow_name: string
  trail_name: string
  attestation_id: string
  event_id: string
  artifact_fingerprint: string | null
  target_artifacts: string[]
  attestation_name: string
  attestation_type: string
  /** The type it counts as; for an override, the overridden type. */
  counts_as_type: string
  is_compliant: boolean
  git_commit: string | null
  control: string | null
  report: Record<string, unknown>
  evidence_sha256: string | null
  evidence_name: string | null
  evidence_bytes: number | null
  actor: string
  /** For an override: names of the reporters whose attestations it must not override. */
  own_names: string[]
  caller_id: string
  idempotency_key: string | null
  request_sha256: string | null
  request_id: string
  now: string
}

// As json and not jsonb, to keep the order of keys as sent.
const ITEMS = `json_to_recordset(:items::json) as i(
  ordinal int, flow_name text, trail_name text, attestation_id uuid, event_id uuid, artifact_fingerprint text,
  target_artifacts text[], attestation_name text, attestation_type text, counts_as_type text, is_compliant boolean,
  git_commit text, control text, report json, evidence_sha256 text, evidence_name text, evidence_bytes bigint,
  actor text, own_names text[], caller_id uuid, idempotency_key text, request_sha256 text, request_id text, now timestamptz)`

/**
 * Stores each attestation with its event and puts it into the slot of each target: the trail, one artifact, or every
 * artifact with a given name that was built from the same commit. Runs in a batch between `lockTrails` and
 * `evaluateTrails`.
 */
export const storeAttestations = defineStatement(
  'attestations.store',
  { org_id: uuid, items: json<ReportedAttestation[]>() },
  {
    ordinal: int,
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    is_artifact_known: bool,
    is_misdirected: bool,
    /** The reporter of the overridden attestation, if it is one of `own_names`. */
    own_work_of: nullable(text),
    answered_sha256: nullable(text),
    /** For a retry, the attestation that the first request made; null if that was before ids were saved. */
    attestation_id: nullable(uuid),
  },
  `with item as (
     select i.*, f.flow_id, t.trail_id, a.artifact_id, a.filename, a.template_reference_name,
       i.artifact_fingerprint is null or a.artifact_id is not null as is_artifact_known,
       -- An override for an artifact without such an attestation, where only the trail has one.
       i.attestation_type = 'override' and a.artifact_id is not null and exists (
         select from evidence_slots s where s.org_id = :org_id and s.trail_id = t.trail_id
           and s.artifact_id = '${THE_TRAIL}' and s.attestation_name = i.attestation_name
       ) and not exists (
         select from artifacts x
         join evidence_slots s on s.org_id = :org_id and s.trail_id = x.trail_id
           and s.artifact_id = x.artifact_id and s.attestation_name = i.attestation_name
         where x.org_id = :org_id and x.trail_id = t.trail_id and x.fingerprint = i.artifact_fingerprint
       ) as is_misdirected,
       case when i.attestation_type = 'override' and i.own_names <> '{}' then (
         select w.reported_by from attestations w
         where w.org_id = :org_id and w.trail_id = t.trail_id and w.attestation_name = i.attestation_name
           and w.reported_by = any (i.own_names) and (w.target_artifacts <> '{}' or exists (
             select from evidence_slots s where s.org_id = :org_id and s.trail_id = t.trail_id
               and s.attestation_name = i.attestation_name
               and w.attestation_id in (s.attestation_id, s.overridden_attestation_id)))
         limit 1
       ) end as own_work_of,
       k.request_sha256 as answered_sha256, k.made_id
     from ${ITEMS}
     left join lateral (
       select x.key, x.request_sha256, (x.answer ->> 'id')::uuid as made_id from idempotency_keys x
       where x.org_id = :org_id and x.caller_id = i.caller_id and x.key = i.idempotency_key limit 1
     ) k on true
     left join lateral (select flow_named(:org_id, i.flow_name) as flow_id) f on true
     left join lateral (
       select x.trail_id from trails x
       where x.org_id = :org_id and x.flow_id = f.flow_id and x.name = i.trail_name limit 1
     ) t on true
     left join lateral (
       select x.artifact_id, x.filename, x.template_reference_name from artifacts x
       where x.org_id = :org_id and x.trail_id = t.trail_id and x.fingerprint = i.artifact_fingerprint
       order by x.artifact_id desc limit 1
     ) a on true
   ), valid as (
     select * from item where trail_id is not null and is_artifact_known and not is_misdirected and own_work_of is null
       and answered_sha256 is null
   ), named as (
     insert into idempotency_keys (org_id, caller_id, key, request_sha256, answer, created_at)
     select :org_id, caller_id, idempotency_key, request_sha256, jsonb_build_object('id', attestation_id), now
     from valid where idempotency_key is not null
   ), targeted as (
     select valid.*, '${THE_TRAIL}'::uuid as target_id from valid
     where artifact_id is null and target_artifacts = '{}'
     union all
     select valid.*, x.artifact_id from valid
     join artifacts x on x.org_id = :org_id and x.trail_id = valid.trail_id
       and x.fingerprint = valid.artifact_fingerprint
     where valid.artifact_id is not null
     union all
     select valid.*, x.artifact_id from valid
     join artifacts x on x.org_id = :org_id and x.trail_id = valid.trail_id and x.git_commit = valid.git_commit
       and x.template_reference_name = any (valid.target_artifacts)
     where valid.artifact_id is null
   ), overridden as (
     select targeted.attestation_id, targeted.target_id, s.attestation_id as overridden_attestation_id
     from targeted join evidence_slots s on s.org_id = :org_id and s.trail_id = targeted.trail_id
       and s.artifact_id = targeted.target_id and s.attestation_name = targeted.attestation_name
     where targeted.attestation_type = 'override'
   ), stored as (
     insert into attestations (org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts,
       attestation_name, attestation_type, is_compliant, git_commit, overridden_attestation_id, control,
       control_version, report,
       evidence_sha256, evidence_name, evidence_bytes, reported_by, created_at)
     select :org_id, attestation_id, flow_id, trail_id, artifact_id, target_artifacts, attestation_name,
       attestation_type, is_compliant, git_commit,
       coalesce(
         (select o.overridden_attestation_id from overridden o where o.attestation_id = valid.attestation_id limit 1),
         (select w.attestation_id from attestations w
          where valid.attestation_type = 'override' and w.org_id = :org_id and w.trail_id = valid.trail_id
            and w.attestation_name = valid.attestation_name and w.git_commit = valid.git_commit
            and w.target_artifacts && valid.target_artifacts
          order by w.attestation_id desc limit 1)),
       control, (select c.version from controls c where c.org_id = :org_id and c.identifier = valid.control),
       report, evidence_sha256, evidence_name, evidence_bytes, actor, now
     from valid
   ), slotted as (
     insert into evidence_slots (org_id, trail_id, artifact_id, attestation_name, attestation_id, counts_as_type,
                                 is_compliant, overridden_attestation_id)
     select distinct on (m.trail_id, m.target_id, m.attestation_name)
       :org_id, m.trail_id, m.target_id, m.attestation_name, m.attestation_id, m.counts_as_type, m.is_compliant,
       o.overridden_attestation_id
     from targeted m
     left join overridden o on o.attestation_id = m.attestation_id and o.target_id = m.target_id
     order by m.trail_id, m.target_id, m.attestation_name, m.ordinal desc
     on conflict (org_id, trail_id, artifact_id, attestation_name) do update set
       attestation_id = excluded.attestation_id, counts_as_type = excluded.counts_as_type,
       is_compliant = excluded.is_compliant, overridden_attestation_id = excluded.overridden_attestation_id
   ), recorded as (
     insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
     select :org_id, event_id,
       case when artifact_id is not null then 'artifact_attestation_reported'
            when target_artifacts <> '{}' then 'trail_attestation_for_artifact_reported'
            else 'trail_attestation_reported' end,
       now, actor, request_id, flow_id, trail_id, jsonb_build_object(
         'attestation_type', attestation_type, 'attestation_id', ${selectWireId('attestation_id')},
         'template_reference_name', attestation_name, 'is_compliant', is_compliant,
         'artifact_fingerprint', artifact_fingerprint, 'artifact_name', filename,
         'target_artifact', coalesce(template_reference_name, target_artifacts[1]),
         'git_commit_info', report -> 'git_commit_info', 'is_reattestation', exists (
           select from attestations w where w.org_id = :org_id and w.trail_id = valid.trail_id
             and w.attestation_name = valid.attestation_name and w.target_artifacts = valid.target_artifacts
             and w.artifact_id is not distinct from valid.artifact_id))
     from valid
   )
   select ordinal, flow_id, trail_id, is_artifact_known, is_misdirected, own_work_of, answered_sha256,
     case when answered_sha256 is null then attestation_id else made_id end as attestation_id
   from item order by ordinal`,
)

export type StoredAttestation = RowOf<typeof storeAttestations>

export const ATTESTATION_ROW = {
  attestation_id: uuid,
  flow_name: text,
  trail_name: text,
  artifact_fingerprint: nullable(text),
  target_artifacts: json<string[]>(),
  attestation_name: text,
  attestation_type: text,
  is_compliant: bool,
  git_commit: nullable(text),
  overridden_attestation_id: nullable(uuid),
  control: nullable(text),
  report: json<Record<string, unknown>>(),
  evidence_sha256: nullable(text),
  evidence_name: nullable(text),
  evidence_bytes: nullable(count),
  reported_by: text,
  created_at: time,
  /** True if it names artifacts, none of which has been built from its commit yet. */
  is_waiting: bool,
}

const IS_WAITING = `(w.artifact_id is null and w.target_artifacts <> '{}' and not exists (
    select from artifacts x where x.org_id = w.org_id and x.trail_id = w.trail_id and x.git_commit = w.git_commit
      and x.template_reference_name = any (w.target_artifacts)))`

export const ATTESTATION_COLUMNS = `
  w.attestation_id, f.name as flow_name, t.name as trail_name, a.fingerprint as artifact_fingerprint,
  to_jsonb(w.target_artifacts) as target_artifacts, w.attestation_name, w.attestation_type, w.is_compliant,
  w.git_commit, w.overridden_attestation_id, w.control, w.report, w.evidence_sha256, w.evidence_name,
  w.evidence_bytes, w.reported_by, w.created_at, ${IS_WAITING} as is_waiting`

export const ATTESTATION_TABLES = `
  attestations w
  join flows f on f.org_id = w.org_id and f.flow_id = w.flow_id
  join trails t on t.org_id = w.org_id and t.trail_id = w.trail_id
  left join artifacts a on a.org_id = w.org_id and a.artifact_id = w.artifact_id`

const ofTrail = defineStatement(
  'attestations.of_trail',
  { org_id: uuid, flow_id: uuid, trail_name: text, attestation_name: nullable(text) },
  ATTESTATION_ROW,
  `select ${ATTESTATION_COLUMNS} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and t.flow_id = :flow_id and t.name = :trail_name
     and (:attestation_name::text is null or w.attestation_name = :attestation_name)
   order by w.attestation_id desc`,
)

export type AttestationRow = RowOf<typeof ofTrail>

/** Every attestation of the trail and its artifacts, of one name or of all, newest first. */
export function listTrailAttestations(
  db: Db,
  org_id: string,
  filter: { flow_id: string; trail_name: string; attestation_name: string | null },
) {
  return db.run(ofTrail, { org_id, ...filter })
}

const ofArtifact = defineStatement(
  'attestations.of_artifact',
  { org_id: uuid, flow_id: uuid, prefix: text, attestation_name: nullable(text) },
  ATTESTATION_ROW,
  `select ${ATTESTATION_COLUMNS} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and (:attestation_name::text is null or w.attestation_name = :attestation_name)
     and w.trail_id in (
       select x.trail_id from artifacts x
       where x.org_id = :org_id and x.flow_id = :flow_id and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g'
     ) and exists (
       select from artifacts x
       where x.org_id = :org_id and x.flow_id = :flow_id and x.trail_id = w.trail_id
         and x.fingerprint >= :prefix and x.fingerprint < :prefix || 'g'
         and (x.artifact_id = w.artifact_id or (w.artifact_id is null and x.git_commit = w.git_commit
              and x.template_reference_name = any (w.target_artifacts)))
     )
   order by w.attestation_id desc`,
)

export function listArtifactAttestations(
  db: Db,
  org_id: string,
  filter: { flow_id: string; prefix: string; attestation_name: string | null },
) {
  return db.run(ofArtifact, { org_id, ...filter })
}

const byId = defineStatement(
  'attestations.by_id',
  { org_id: uuid, attestation_id: uuid },
  ATTESTATION_ROW,
  `select ${ATTESTATION_COLUMNS} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and w.attestation_id = :attestation_id`,
)

export async function findAttestation(db: Database, org_id: string, attestation_id: string) {
  return (await db.read({ org_id }, byId, { org_id, attestation_id }))[0]
}

export interface AttestationFilter {
  /** True lists only attestations in archived flows, false only the others, null both. */
  archived: boolean | null
  /** Null means any flow. */
  flow_id: string | null
  name: string | null
  flows: string[] | null
  types: string[] | null
  is_compliant: boolean | null
  is_waiting: boolean | null
  from: Date | null
  to: Date | null
  after: string | null
}

const list = defineStatement(
  'attestations.list',
  {
    org_id: uuid,
    archived: nullable(bool),
    flow_id: nullable(uuid),
    name: nullable(text),
    flows: nullable(json<string[]>()),
    types: nullable(json<string[]>()),
    is_compliant: nullable(bool),
    is_waiting: nullable(bool),
    from: nullable(time),
    to: nullable(time),
    after: nullable(uuid),
    most: int,
  },
  ATTESTATION_ROW,
  `select ${ATTESTATION_COLUMNS} from ${ATTESTATION_TABLES}
   where w.org_id = :org_id and (:archived::boolean is null or (f.archived_at is not null) = :archived)
     and (:flow_id::uuid is null or w.flow_id = :flow_id)
     and (:name::text is null or w.attestation_name = :name)
     and (:flows::jsonb is null or :flows ? f.name)
     and (:types::jsonb is null or :types ? w.attestation_type)
     and (:is_compliant::boolean is null or w.is_compliant = :is_compliant)
     and (:is_waiting::boolean is null or ${IS_WAITING} = :is_waiting)
     and (:from::timestamptz is null or w.created_at >= :from)
     and (:to::timestamptz is null or w.created_at <= :to)
     and (:after::uuid is null or w.attestation_id < :after)
   order by w.attestation_id desc
   limit :most::int`,
)

/** One page of the organization's attestations, newest first, after a cursor. */
export function listAttestations(db: Db, org_id: string, filter: AttestationFilter, most: number) {
  return db.run(list, { org_id, ...filter, most })
}
