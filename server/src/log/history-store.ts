// The SQL of the import of events from before the log.
import { computeFirst } from '../db/compute-first.ts'
import { type Database, type Db, makeStep, type Step } from '../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  readsWholeDatabase,
  text,
  texts,
  time,
  uuid,
} from '../db/statement.ts'
import type { ImportState } from '../domain/log/history.ts'
import { selectFiles } from '../events/files-content-store.ts'
import { ARTIFACTS_OF_SNAPSHOT, hashState } from '../events/state-content-store.ts'
import { ATTESTED } from './check-store.ts'

const pending = defineStatement(
  'log.list_history_imports',
  {},
  { org_id: uuid },
  `select i.org_id from history_imports i
   where i.completed_at is null and not exists (select from frozen_orgs f where f.org_id = i.org_id)`,
  readsWholeDatabase('the worker looks at a short row for each organization from before the log'),
)

/** The organizations with events that may not be in their log yet. */
export function listPendingImports(db: Database): Promise<RowOf<typeof pending>[]> {
  return db.runOnce({ worker: true }, pending, {})
}

const STATE = {
  last_event_id: uuid,
  imported: count,
  first_id: nullable(uuid),
  last_id: nullable(uuid),
  kinds: json<Record<string, number>>(),
}

const lock = defineStatement(
  'log.lock_history_import',
  { org_id: uuid },
  STATE,
  `select i.last_event_id, i.imported, i.first_id, i.last_id, i.kinds from history_imports i
   where i.org_id = :org_id and i.completed_at is null
   for update skip locked`,
)

/** Undefined if the import is complete, or if another process is running it. */
export async function lockImport(tx: Db, org_id: string): Promise<ImportState | undefined> {
  return (await tx.run(lock, { org_id }))[0]
}

const move = defineStatement(
  'log.move_history_import',
  {
    org_id: uuid,
    last_event_id: uuid,
    imported: count,
    first_id: nullable(uuid),
    last_id: nullable(uuid),
    kinds: json<Record<string, number>>(),
    completed_at: nullable(time),
  },
  {},
  `update history_imports set last_event_id = :last_event_id, imported = :imported, first_id = :first_id,
     last_id = :last_id, kinds = :kinds, completed_at = :completed_at
   where org_id = :org_id`,
)

export async function storeImport(
  tx: Db,
  org_id: string,
  state: ImportState,
  completed_at: Date | null,
): Promise<void> {
  await tx.run(move, { org_id, ...state, kinds: { ...state.kinds }, completed_at })
}

/** The commitment to a part, as `commitToPart` computes it: reports are large, so they stay in the database. */
const commit = (
  name: string,
  content: string,
): string => `jsonb_build_object('bytes', octet_length(${content}),
  'commitment', encode(sha256(decode(e.salt_hex, 'hex') || '\\x01'::bytea || convert_to('${name}', 'UTF8') || '\\x00'::bytea
    || convert_to(${content}, 'UTF8')), 'base64'))`

const withoutNulls = (object: string): string => `nullif(jsonb_strip_nulls(${object}), '{}')`

// Only if the attestation matches its event, as the log check compares them; otherwise the event alone becomes a
// leaf.
const PARTS_OF_ATTESTATION = `
  select jsonb_strip_nulls(jsonb_build_object('report', ${commit('report', 'a.report::text')},
    'facts', ${withoutNulls(`jsonb_build_object('git_commit', a.git_commit, 'control', a.control,
      'control_version', a.control_version, 'expires_at', extract(epoch from a.expires_at)::float8, 'overridden', left(a.overridden_attestation_id::text, 32),
      'target_artifacts', case when cardinality(a.target_artifacts) > 1 then to_jsonb(a.target_artifacts) end)`)},
    'evidence', case when a.evidence_sha256 is not null then jsonb_build_object(
      'sha256', a.evidence_sha256, 'bytes', a.evidence_bytes, 'name', a.evidence_name) end))
    || coalesce((select jsonb_build_object('files', y.files) from (select ${selectFiles('a')} as files) y where y.files is not null), '{}')
  from attestations a
  where a.org_id = e.org_id and left(a.attestation_id::text, 32) = e.data ->> 'attestation_id'
    and a.attestation_id = e.named_attestation
    and a.flow_id = e.flow_id and a.trail_id = e.trail_id and (a.artifact_id is not null) = (e.kind = 'artifact_attestation_reported')
    and a.attestation_name = ${computeFirst("e.data ->> 'template_reference_name'")} and a.attestation_type = e.data ->> 'attestation_type'
    and to_jsonb(a.is_compliant) = e.data -> 'is_compliant' and a.reported_by = e.actor and a.created_at = e.happened_at
    and (cardinality(a.target_artifacts) > 1 or a.artifact_id is not null
      or a.target_artifacts[1] is not distinct from e.data ->> 'target_artifact')`

const PARTS_OF_REPORT = `
  select jsonb_strip_nulls(jsonb_build_object('report', ${commit('report', 'r.report::text')},
    'facts', ${withoutNulls(`jsonb_build_object('is_compliant', r.is_compliant)`)}))
  from artifact_reports r join artifacts a on a.org_id = r.org_id and a.artifact_id = r.artifact_id
  where r.org_id = e.org_id and r.report_id = e.named_report and left(r.artifact_id::text, 32) = e.data ->> 'artifact_id'
    and a.fingerprint = ${computeFirst("e.data ->> 'artifact_fingerprint'")}
    and a.flow_id = e.flow_id and a.trail_id is not distinct from e.trail_id
    and r.filename = e.data ->> 'artifact_name' and r.git_commit is not distinct from e.data ->> 'git_commit'
    and r.reported_by = e.actor and r.reported_at = e.happened_at`

const PARTS_OF_POLICY = `
  select jsonb_build_object('policy_yaml', ${commit('policy_yaml', 'v.policy_yaml')}) from policy_versions v
  where v.org_id = e.org_id and v.policy_id = e.policy_id and to_jsonb(v.version) = e.data -> 'version'`

const PARTS_OF_SNAPSHOT = `
  select jsonb_build_object('state', jsonb_build_object('sha256', ${hashState(ARTIFACTS_OF_SNAPSHOT)})) from snapshots s
  where s.org_id = e.org_id and s.environment_id = e.environment_id
    and s.snapshot_index = ${computeFirst(`case when jsonb_typeof(e.data -> 'snapshot_index') = 'number'
      then (e.data ->> 'snapshot_index')::numeric::int end`)}`

const WIRE_ID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}$'
const readId = (name: string): string =>
  `case when e.data ->> '${name}' ~ '${WIRE_ID}' then ((e.data ->> '${name}') || '0000')::uuid end`

const batch = defineStatement(
  'log.read_old_events',
  { org_id: uuid, after: uuid, limit: int, salts: texts },
  {
    event_id: uuid,
    is_old: bool,
    kind: text,
    happened_at: time,
    actor: text,
    request_id: text,
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    environment_id: nullable(uuid),
    policy_id: nullable(uuid),
    control_id: nullable(uuid),
    caller: nullable(text),
    data: text,
    values: json<Record<string, unknown>>(),
    salt: text,
    parts: nullable(text),
    named: nullable(json<Record<string, unknown>>()),
  },
  `with page as materialized (
     select x.*, x.salt is null and not x.data ? 'erased_by' and not exists (
       select from log_leaves l where l.org_id = x.org_id and l.event_id = x.event_id) as is_old
     from events x where x.org_id = :org_id and x.event_id > :after
     order by x.event_id limit :limit::int
   ), salted as materialized (
     select e.*, (:salts::text[])[row_number() over (order by e.event_id)] as salt_hex,
       ${readId('attestation_id')} as named_attestation, ${readId('report_id')} as named_report
     from page e
   ), covered as (
     select e.*, case when not e.is_old then null
       when e.kind in (${ATTESTED}) then (${PARTS_OF_ATTESTATION})
       when e.kind = 'artifact_creation_reported' then (${PARTS_OF_REPORT})
       when e.kind in ('policy_created', 'policy_updated') then (${PARTS_OF_POLICY})
       when e.kind = 'snapshot_taken' then (${PARTS_OF_SNAPSHOT}) end as hashes
     from salted e
   )
   select c.event_id, c.is_old, c.kind, c.happened_at, c.actor, c.request_id, c.flow_id, c.trail_id, c.environment_id,
     c.policy_id, c.control_id, c.caller::text as caller, c.data::text as data, c.data as values, c.salt_hex as salt,
     c.hashes::text as parts, c.hashes as named
   from covered c order by c.event_id`,
  readsPage,
)

export type OldEventRow = RowOf<typeof batch>

/**
 * The next events in the order of their ids, with hashes of the parts of those without a leaf; each gets one of the
 * salts.
 */
export function readOldEvents(
  tx: Db,
  org_id: string,
  page: { after: string; limit: number; salts: string[] },
): Promise<OldEventRow[]> {
  return tx.run(batch, { org_id, ...page })
}

const store = defineStatement(
  'log.import_events',
  { org_id: uuid, events: json<{ event_id: string; salt: string; parts: unknown }[]>() },
  { imported: count },
  'select import_events(:org_id, :events::jsonb) as imported',
)

export type ImportedCount = RowOf<typeof store>

export function buildImportStep(
  org_id: string,
  events: { event_id: string; salt: string; parts: unknown }[],
): Step {
  return makeStep(store, { org_id, events })
}

const restart = defineStatement(
  'log.restart_history_import',
  { org_id: uuid, before_all: uuid },
  { org_id: uuid },
  `insert into history_imports (org_id) values (:org_id)
   on conflict (org_id) do update set last_event_id = :before_all, imported = 0, first_id = null, last_id = null,
     kinds = '{}', completed_at = null
   where history_imports.completed_at is not null
   returning org_id`,
)

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Starts to examine all events again. False if an import is already running. Only the owner may do this. */
export async function restartImport(tx: Db, org_id: string): Promise<boolean> {
  return (await tx.run(restart, { org_id, before_all: BEFORE_ALL })).length > 0
}
