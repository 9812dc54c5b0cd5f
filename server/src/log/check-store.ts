// The SQL of the log check: every leaf with its event, and with the content that the event names.
import { toSelectList } from '../db/columns.ts'
import { computeFirst } from '../db/compute-first.ts'
import type { Db } from '../db/database.ts'
import {
  bool,
  bytes,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  readsWholeDatabase,
  readsWholeOrg,
  text,
  uuid,
} from '../db/statement.ts'
import type { ErasedLeaf } from '../domain/log/erasure.ts'
import { HISTORY_IMPORTED } from '../domain/log/history.ts'
import { selectFiles } from '../events/files-content-store.ts'
import { ARTIFACTS_OF_SNAPSHOT, hashState } from '../events/state-content-store.ts'
import { SELECT_ALL_CONTENTS } from '../events/stored-rows-store.ts'
import { EVENT, SELECT_EVENT } from './leaf-event-store.ts'
import { LEAF } from './tree-store.ts'

const heads = defineStatement(
  'log.list_heads',
  {},
  {
    org_id: uuid,
    org: text,
    epoch: int,
    size: count,
    tag_key: bytes,
    unnumbered: count,
    imported: count,
    imported_by_record: nullable(count),
  },
  // Events from before the log need no leaf until their import is complete.
  `select h.org_id, o.name as org, h.epoch, h.size, h.tag_key, (
     select count(*) from events e where e.org_id = h.org_id and (e.salt is not null or history.told is not null)
       and not exists (select from log_leaves l where l.org_id = h.org_id and l.event_id = e.event_id)) as unnumbered,
     (select count(*) from log_leaves l where l.org_id = h.org_id and l.kind = '${HISTORY_IMPORTED}') as imported,
     history.told as imported_by_record
   from log_heads h join orgs o on o.org_id = h.org_id
   cross join lateral (
     select sum((e.data ->> 'count')::bigint)::bigint as told from log_leaves l
     join events e on e.org_id = l.org_id and e.event_id = l.event_id
     where l.org_id = h.org_id and l.kind = 'history_complete' and not exists (
       select from history_imports i where i.org_id = h.org_id and i.completed_at is null)
   ) history
   order by o.name`,
  readsWholeDatabase('the check reads everything'),
)

export type LogHead = RowOf<typeof heads>

export function listHeads(db: Db): Promise<LogHead[]> {
  return db.run(heads, {})
}

export const ATTESTED = `'trail_attestation_reported', 'trail_attestation_for_artifact_reported', 'artifact_attestation_reported'`

const sameFact = (column: string, fact: string): string =>
  `${column} is not distinct from e.parts -> 'facts' ->> '${fact}'`
const readId = (field: string): string => computeFirst(`((e.data ->> '${field}') || '0000')::uuid`)
const readText = (field: string): string => computeFirst(`e.data ->> '${field}'`)
const readNumber = (field: string): string => computeFirst(`(e.data ->> '${field}')::int`)
const evidenceOf = (field: string): string => `e.parts -> 'evidence' ->> '${field}'`

/** The attestation of an event, if its columns match the event. */
const MATCHING_ATTESTATION = `
  select from attestations a
  where a.org_id = e.org_id and a.attestation_id = ${readId('attestation_id')}
    and a.flow_id = e.flow_id and a.trail_id = e.trail_id and (a.artifact_id is not null) = (e.kind = 'artifact_attestation_reported')
    and a.attestation_name = ${readText('template_reference_name')} and a.attestation_type = e.data ->> 'attestation_type'
    and a.is_compliant = (e.data ->> 'is_compliant')::boolean and a.reported_by = e.actor and a.created_at = e.happened_at
    and ${sameFact('a.git_commit', 'git_commit')} and ${sameFact('a.control', 'control')}
    and ${sameFact('a.control_version::text', 'control_version')}
    and round(extract(epoch from a.expires_at), 3) is not distinct from round((e.parts -> 'facts' ->> 'expires_at')::numeric, 3)
    and ${sameFact('left(a.overridden_attestation_id::text, 32)', 'overridden')}
    and case when cardinality(a.target_artifacts) > 1 then to_jsonb(a.target_artifacts) = e.parts -> 'facts' -> 'target_artifacts'
      when a.artifact_id is null then a.target_artifacts[1] is not distinct from e.data ->> 'target_artifact' else true end
    and a.evidence_sha256 is not distinct from ${evidenceOf('sha256')}
    and a.evidence_name is not distinct from ${evidenceOf('name')}
    and a.evidence_bytes::text is not distinct from ${evidenceOf('bytes')}
    and ${selectFiles('a')} is not distinct from e.parts -> 'files'`

/** The artifact report of an event, if its columns match the event. */
const MATCHING_REPORT = `
  select from artifact_reports r join artifacts a on a.org_id = r.org_id and a.artifact_id = r.artifact_id
  where r.org_id = e.org_id and r.report_id = ${readId('report_id')}
    and r.artifact_id = ${readId('artifact_id')}
    and a.fingerprint = ${readText('artifact_fingerprint')} and a.flow_id = e.flow_id and a.trail_id is not distinct from e.trail_id
    and r.filename = e.data ->> 'artifact_name' and r.git_commit is not distinct from e.data ->> 'git_commit'
    and ${sameFact('r.is_compliant::text', 'is_compliant')} and r.reported_by = e.actor and r.reported_at = e.happened_at
    and (a.report_id <> r.report_id or (a.report::text = r.report::text and a.filename = r.filename
      and a.git_commit is not distinct from r.git_commit and a.is_declared_compliant is not distinct from r.is_compliant))`

/** The late report of an event, if its columns match the event. */
const MATCHING_LATE_REPORT = `
  select from late_reports r
  where r.org_id = e.org_id and r.late_report_id = ${readId('late_report_id')}
    and r.environment_id = e.environment_id and r.report_sha256 = e.data ->> 'report_sha256'
    and r.observed_at = to_timestamp((e.data ->> 'observed_at')::float8) and r.received_at = e.happened_at
    -- Earlier versions stored no summary.
    and (num_nulls(r.artifact_count, r.reported_by, r.newest_at, r.reporter, r.missing) = 5 or (r.artifact_count = (e.data ->> 'artifact_count')::int and r.reported_by = e.actor
      and r.newest_at = to_timestamp((e.data ->> 'newest_at')::float8)
      and r.reporter is not distinct from e.data -> 'reporter' and r.missing is not distinct from e.data -> 'missing'))`

/** A trail that differs from the event in fields that its content does not cover: times stated by the client. */
const DIFFERING_TRAIL = `
  select from trails t
  where t.org_id = e.org_id and t.trail_id = e.trail_id
    and (t.collected_at is distinct from to_timestamp((e.data ->> 'collected_at')::float8)
      or t.spooled is distinct from (e.data ->> 'spooled')::boolean)`

/** A snapshot that differs from the event in fields that its state does not cover. */
const DIFFERING_SNAPSHOT = `
  select from snapshots s
  where s.org_id = e.org_id and s.environment_id = e.environment_id
    and s.snapshot_index = ${readNumber('snapshot_index')}
    and (s.is_partial is distinct from (e.data ->> 'is_partial')::boolean
      or s.observed_at is distinct from to_timestamp((e.data ->> 'observed_at')::float8)
      or s.expired_decisions is distinct from e.data -> 'expired_decisions')`

const WIRE_ID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}$'

/** The data of the erasure that an erased event names. */
const ERASURE = `
  select x.data from events x join log_leaves m on m.org_id = x.org_id and m.event_id = x.event_id
  where x.org_id = e.org_id and x.event_id = ${readId('erased_by')}
    and x.kind = 'body_erased' and m.kind = 'body_erased' and x.salt is not null`

const leaves = defineStatement(
  'log.list_leaves_with_events',
  { org_id: uuid, epoch: int, from: count, limit: int },
  {
    ...LEAF,
    ...EVENT,
    named: nullable(json<Record<string, { commitment?: string; sha256?: string }>>()),
    erasure: nullable(json<Partial<ErasedLeaf>>()),
    is_stored: bool,
    contents: nullable(json<Record<string, string | null>>()),
  },
  `select ${toSelectList('l', LEAF)}, ${SELECT_EVENT}, e.parts as named,
     case when e.salt is null and e.data ->> 'erased_by' ~ '${WIRE_ID}' then (${ERASURE}) end as erasure,
     case when l.kind = '${HISTORY_IMPORTED}' and not coalesce(e.parts ? 'report', false) then true
       when e.kind in (${ATTESTED}) then exists (${MATCHING_ATTESTATION})
       when e.kind = 'artifact_creation_reported' then exists (${MATCHING_REPORT})
       when e.kind = 'environment_late_report' then exists (${MATCHING_LATE_REPORT})
       when e.kind = 'trail_reported' then not exists (${DIFFERING_TRAIL})
       when e.kind = 'snapshot_taken' then not exists (${DIFFERING_SNAPSHOT}) else true end as is_stored,
     case when e.parts ? 'policy_yaml' then jsonb_build_object('policy_yaml', (
       select v.policy_yaml from policy_versions v
       where v.org_id = e.org_id and v.policy_id = e.policy_id and v.version = ${readNumber('version')}))
     when e.parts ? 'state' then jsonb_build_object('state', (
       select ${hashState(ARTIFACTS_OF_SNAPSHOT)} from snapshots s
       where s.org_id = e.org_id and s.environment_id = e.environment_id
         and s.snapshot_index = ${readNumber('snapshot_index')}))
     when e.parts ? 'report' then jsonb_build_object('report', coalesce(
       case when e.kind in (${ATTESTED}) then (
         select a.report::text from attestations a
         where a.org_id = e.org_id and a.attestation_id = ${readId('attestation_id')}) end,
       case when e.kind = 'artifact_creation_reported' then (
         select r.report::text from artifact_reports r
         where r.org_id = e.org_id and r.report_id = ${readId('report_id')}) end,
       case when e.kind = 'environment_late_report' then (
         select r.content::text from late_reports r
         where r.org_id = e.org_id and r.late_report_id = ${readId('late_report_id')}) end)) end as contents
   from log_leaves l left join events e on e.org_id = l.org_id and e.event_id = l.event_id
   where l.org_id = :org_id and l.epoch = :epoch and l.seq >= :from
   order by l.seq limit :limit::int`,
  readsPage,
)

export type LeafWithEvent = RowOf<typeof leaves>

export function listLeavesWithEvents(
  db: Db,
  range: { org_id: string; epoch: number; from: number; limit: number },
): Promise<LeafWithEvent[]> {
  return db.run(leaves, range)
}

// The last leaf that names a row determines its current content.
const changedRows = defineStatement(
  'log.list_changed_rows',
  { org_id: uuid, epoch: int },
  { seq: count, kind: text, stored: text, is_there: bool },
  `with named as (
     select distinct on (p.part ->> 'row') l.epoch, l.seq, l.kind, p.part ->> 'row' as stored, p.name, p.part ->> 'commitment' as commitment,
       e.salt
     from events e
     join log_leaves l on l.org_id = e.org_id and l.event_id = e.event_id
     cross join lateral jsonb_each(e.parts) as p(name, part)
     where e.org_id = :org_id and jsonb_typeof(p.part) = 'object' and p.part ? 'row'
     order by p.part ->> 'row', l.epoch desc, l.seq desc
   ), stored as (${SELECT_ALL_CONTENTS})
   select n.seq, n.kind, n.stored, s.stored is not null as is_there
   from named n left join stored s on s.stored = n.stored
   where n.epoch = :epoch and n.salt is not null and decode(n.commitment, 'base64') is distinct from sha256(n.salt || '\\x01'::bytea
     || convert_to(n.name, 'UTF8') || '\\x00'::bytea || convert_to(coalesce(s.content, 'null'), 'UTF8'))
   order by n.seq`,
  readsWholeOrg('the check reads everything'),
)

export type ChangedRow = RowOf<typeof changedRows>

/** Rows of the organization that differ from the last leaf about them. */
export function listChangedRows(db: Db, log: { org_id: string; epoch: number }): Promise<ChangedRow[]> {
  return db.run(changedRows, log)
}
