// The statements that take a snapshot of the running artifacts. Rows that did not change since the previous snapshot
// are not touched: their interval stays open. The index comes from the environment's row, which the caller has
// locked.
import type { Db } from '../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  json,
  nullable,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'
import type { Cause, ExpiredDecision } from '../domain/snapshot/cause.ts'
import type { Reporter } from '../domain/snapshot/reported.ts'
import { assert } from '../lib/assert.ts'
import type { AppliedPolicy, ReportedRow } from './snapshot-store.ts'

const AHEAD = `org_id = :org_id and environment_id = :environment_id
     and (is_run_ahead or is_verdict_ahead or annotation is not null)`

const insertSnapshot = defineStatement(
  'snapshots.insert',
  {
    org_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    created_at: time,
    has_policies: bool,
    applied_policies: json<AppliedPolicy[]>(),
    cause: text,
    expired_decisions: json<readonly ExpiredDecision[]>(),
    actor: text,
    starting_compliant: int,
    starting_non_compliant: int,
    starting_unknown: int,
    is_partial: bool,
    missing: nullable(json<readonly string[]>()),
    now: time,
    report_sha256: nullable(text),
    reported_at: nullable(time),
    observed_at: nullable(time),
    reporter: nullable(json<Reporter>()),
  },
  { compliant: nullable(bool), logical_ids: uuids, has_subscribers: bool },
  `with taken as (
     insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
                            non_compliant_count, unknown_count, applied_policies, cause, actor, observed_at, is_partial,
                            expired_decisions)
     select :org_id, :environment_id, :snapshot_index, :created_at,
       case when :has_policies::boolean and not (:is_partial::boolean and counted.non_compliant + counted.unknown = 0)
         then counted.non_compliant + counted.unknown = 0 end,
       counted.compliant, counted.non_compliant, counted.unknown, :applied_policies, :cause, :actor, :observed_at,
       nullif(:is_partial, false), nullif(:expired_decisions::jsonb, '[]')
     from (
       select count(*) filter (where compliant) + :starting_compliant::int as compliant,
         count(*) filter (where not compliant) + :starting_non_compliant::int as non_compliant,
         count(*) filter (where compliant is null) + :starting_unknown::int as unknown
       from running_artifacts where org_id = :org_id and environment_id = :environment_id
     ) counted
     returning snapshot_index, created_at, compliant
   ), advanced as (
     update environments e
     set latest_index = taken.snapshot_index, state = taken.compliant, last_changed_at = taken.created_at,
       last_reported_at = greatest(e.last_reported_at, :reported_at::timestamptz),
       report_sha256 = coalesce(:report_sha256::text, e.report_sha256), unlogged_reports = 0, unlogged_since = null,
       confirmed_at = case when :reported_at::timestamptz is null then e.confirmed_at else :now end,
       observed_at = case when :reported_at::timestamptz is null then e.observed_at else :observed_at end,
       reporter = case when :reported_at::timestamptz is null then e.reporter else :reporter::jsonb end,
       partial_since = case when :is_partial then coalesce(e.partial_since, :reported_at) end,
       missing = case when :reported_at::timestamptz is null then e.missing else :missing::jsonb end
     from taken
     where e.org_id = :org_id and e.environment_id = :environment_id
   )
   select compliant,
     array(select m.environment_id from environment_members m
       join environments e on e.org_id = m.org_id and e.environment_id = m.environment_id and e.archived_at is null
       where m.org_id = :org_id and m.member_id = :environment_id order by m.environment_id) as logical_ids,
     exists (select from notification_environments n
       where n.org_id = :org_id and n.environment_id = :environment_id) as has_subscribers
   from taken`,
)

/** Looks up each open interval by its key. A join could compare all keys with all open intervals. */
const findOpen = (table: 'runs' | 'verdicts') => `cross join lateral (
     select x.ctid from ${table} x
     where x.org_id = :org_id and x.environment_id = :environment_id and x.artifact_key = c.artifact_key
       and x.to_index is null
     limit 1
   ) open`

const selectClosing = (ahead: 'is_run_ahead' | 'is_verdict_ahead') => `(
     select exited.key collate "C" as artifact_key, true as is_exit from unnest(:keys::text[]) exited(key)
     union all
     select artifact_key, false from changed where ${ahead}
   ) c`

const move = defineStatement(
  'snapshots.move_intervals',
  {
    org_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    happened_at: time,
    keys: texts,
    exited: json<unknown[]>(),
  },
  {},
  // Counting the closed rows makes PostgreSQL close them first: an artifact has one open interval at a time.
  `with changed as materialized (
     select * from running_artifacts where ${AHEAD}
   ), closed_runs as (
     update runs r set to_index = :snapshot_index, is_exit = c.is_exit
     from ${selectClosing('is_run_ahead')} ${findOpen('runs')}
     where r.org_id = :org_id and r.ctid = open.ctid
     returning 1
   ), closed_verdicts as (
     update verdicts v set to_index = :snapshot_index
     from ${selectClosing('is_verdict_ahead')} ${findOpen('verdicts')}
     where v.org_id = :org_id and v.ctid = open.ctid
     returning 1
   ), opened_runs as (
     insert into runs (org_id, environment_id, run_id, artifact_key, fingerprint, name, instance_count, instances,
                       replaced, from_index)
     select org_id, environment_id, gen_random_uuid(), artifact_key, fingerprint, name, instance_count, instances,
       replaced, :snapshot_index
     from changed where is_run_ahead and (select count(*) from closed_runs) >= 0
   ), opened_verdicts as (
     insert into verdicts (org_id, environment_id, verdict_id, artifact_key, compliant, evaluation, from_index)
     select org_id, environment_id, gen_random_uuid(), artifact_key, compliant, evaluation, :snapshot_index
     from changed where is_verdict_ahead and (select count(*) from closed_verdicts) >= 0
   ), logged as (
     insert into environment_events (org_id, environment_id, snapshot_index, artifact_key, happened_at, type,
       fingerprint, artifact_name, was, now, artifact_compliance, snapshot_compliance, flow_ids, repo_ids)
     select :org_id, :environment_id, s.snapshot_index, e.artifact_key, :happened_at, e.type, e.fingerprint, e.name,
       e.was, e.now, e.compliant, s.compliant, e.flow_ids, e.repo_ids
     from snapshots s cross join (
       select artifact_key, annotation as type, fingerprint, name, was, instance_count as now, compliant, flow_ids,
         repo_ids
       from changed where annotation is not null
       union all
       select x.artifact_key, 'exited', x.fingerprint, x.name, x.was, 0, x.compliant, x.flow_ids, x.repo_ids
       from jsonb_to_recordset(:exited::jsonb) as x(artifact_key text, fingerprint text, name text, was int,
         compliant boolean, flow_ids uuid[], repo_ids uuid[])
     ) e
     where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = :snapshot_index
   )
   update running_artifacts
   set is_run_ahead = false, is_verdict_ahead = false, annotation = null, was = instance_count
   where ${AHEAD}`,
)

interface ExitedRow {
  artifact_key: string
  fingerprint: string
  name: string
  was: number
  compliant: boolean | null
  flow_ids: string[]
  repo_ids: string[]
}

export interface NewSnapshot {
  environment_id: string
  snapshot_index: number
  created_at: Date
  applied_policies: AppliedPolicy[]
  cause: Cause
  expired_decisions: readonly ExpiredDecision[]
  actor: string
  exited: ExitedRow[]
  /** The verdicts on the artifacts that are about to start. */
  starting: readonly (boolean | null)[]
  is_partial: boolean
  now: Date
  /** The report that makes the snapshot, if one does. */
  report: (ReportedRow & { missing: readonly string[] | null }) | null
}

export interface InsertedSnapshot {
  /** The verdict of the environment. */
  compliant: boolean | null
  /** The logical environments that include this one. */
  logical_ids: string[]
  has_subscribers: boolean
}

const NO_REPORT = { report_sha256: null, reported_at: null, observed_at: null, reporter: null, missing: null }

/**
 * The snapshot, without the rows of the artifacts that start with it. All are sent together and executed in this
 * order.
 */
export async function insertRunningSnapshot(
  db: Db,
  org_id: string,
  { exited, starting, report, ...snapshot }: NewSnapshot,
): Promise<InsertedSnapshot> {
  const { environment_id, snapshot_index, created_at: happened_at, applied_policies } = snapshot
  const keys = exited.map(({ artifact_key }) => artifact_key)
  const counts = {
    starting_compliant: starting.filter(compliant => compliant === true).length,
    starting_non_compliant: starting.filter(compliant => compliant === false).length,
    starting_unknown: starting.filter(compliant => compliant === null).length,
  }
  const has_policies = applied_policies.length > 0
  const [[inserted]] = await Promise.all([
    db.run(insertSnapshot, { org_id, ...snapshot, ...(report ?? NO_REPORT), ...counts, has_policies }),
    db.run(move, { org_id, environment_id, snapshot_index, happened_at, keys, exited }),
  ])
  assert(inserted, 'a snapshot was inserted')
  return inserted
}
