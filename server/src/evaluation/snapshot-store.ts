// The statements that lock environments, read and update their last report, and handle logical environments.
import { toColumnList } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
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
  uuids,
  type Values,
} from '../db/statement.ts'
import type { Cause, ExpiredDecision } from '../domain/snapshot/cause.ts'
import { computeReportTime } from '../domain/snapshot/late.ts'
import type { Reporter, ReportView } from '../domain/snapshot/reported.ts'

const LOCKED = {
  environment_id: uuid,
  name: text,
  type: text,
  include_scaling: bool,
  latest_index: int,
  state: nullable(bool),
  last_changed_at: nullable(time),
  report_sha256: nullable(text),
  stale_noticed_at: nullable(time),
  expected_report_interval: nullable(int),
  partial_since: nullable(time),
  last_reported_at: nullable(time),
  unlogged_reports: int,
  unlogged_since: nullable(time),
  confirmed_at: nullable(time),
}

const lock = defineStatement(
  'snapshots.lock_environments',
  { org_id: uuid, environment_ids: uuids },
  LOCKED,
  `select ${toColumnList(LOCKED)}
   from environments
   where org_id = :org_id and environment_id = any (:environment_ids::uuid[]) and archived_at is null
   order by environment_id
   for no key update`,
)

export type LockedEnvironment = RowOf<typeof lock>

/**
 * Keeps others from taking a snapshot of the environment until the transaction ends; undefined if it was archived.
 * Not the strongest lock, because pending evaluations reference the environment, and reporting evidence must not
 * wait for an evaluation.
 */
export async function lockEnvironment(db: Db, org_id: string, environment_id: string) {
  return (await lockEnvironments(db, org_id, [environment_id]))[0]
}

/** Locks several environments, in the order of their ids. */
export function lockEnvironments(
  db: Db,
  org_id: string,
  environment_ids: readonly string[],
): Promise<LockedEnvironment[]> {
  return db.run(lock, { org_id, environment_ids: [...environment_ids] })
}

const TRIED = { ...LOCKED, archived_at: nullable(time) }

const tryLock = defineStatement(
  'snapshots.try_lock_environment',
  { org_id: uuid, environment_id: uuid },
  TRIED,
  `select ${toColumnList(TRIED)}
   from environments where org_id = :org_id and environment_id = :environment_id
   for no key update skip locked`,
)

/**
 * Locks an environment without waiting, for work that can be done later: undefined if a request or another process has locked the
 * environment. Also locks an archived one, whose pending work is discarded.
 */
export async function tryLockEnvironment(db: Db, org_id: string, environment_id: string) {
  return (await db.run(tryLock, { org_id, environment_id }))[0]
}

export interface AppliedPolicy {
  policy_id: string
  version: number
}

const latestPolicies = defineStatement(
  'snapshots.latest_policies',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  { applied_policies: json<AppliedPolicy[]>() },
  `select applied_policies from snapshots
   where org_id = :org_id and environment_id = :environment_id and snapshot_index = :snapshot_index`,
)

/** The policies in force when a snapshot was taken. */
export async function listAppliedPolicies(
  db: Db,
  org_id: string,
  snapshot: { environment_id: string; snapshot_index: number },
): Promise<AppliedPolicy[]> {
  return (await db.run(latestPolicies, { org_id, ...snapshot }))[0]?.applied_policies ?? []
}

const IN_EARLIER_HOUR = `date_trunc('hour', t.confirmed_at, 'UTC') < date_trunc('hour', :now::timestamptz, 'UTC')`

/** The columns of an environment that describe its newest report. */
const REPORTED = {
  report_sha256: text,
  reported_at: time,
  observed_at: nullable(time),
  reporter: nullable(json<Reporter>()),
}

export type ReportedRow = Values<typeof REPORTED>

export function toReportedRow(report: { sha256: string; view: ReportView }, now: Date): ReportedRow {
  const { observed_at, reporter } = report.view
  const reported_at = computeReportTime(observed_at, now)
  return { report_sha256: report.sha256, reported_at, observed_at, reporter }
}

// The same rule as domain/snapshot/late.ts.
const NOT_LATE = '(:observed_at::timestamptz is null or :observed_at >= e.last_reported_at)'

const touch = defineStatement(
  'environments.report_again',
  { org_id: uuid, env_name: text, type: text, ...REPORTED, now: time },
  {
    environment_id: nullable(uuid),
    name: nullable(text),
    type: nullable(text),
    archived_at: nullable(time),
    is_known: bool,
    /** Whether the log does not mention the environment in this hour yet. */
    is_due: bool,
  },
  `with named as (
     select environment_id, name, type, archived_at from environments
     where org_id = :org_id and environment_id = environment_named(:org_id, :env_name)
   ), touched as (
     update environments e set last_reported_at = greatest(e.last_reported_at, :reported_at),
       observed_at = :observed_at, reporter = :reporter,
       unlogged_reports = e.unlogged_reports + 1, unlogged_since = coalesce(e.unlogged_since, :now)
     from named
     where e.org_id = :org_id and e.environment_id = named.environment_id and e.archived_at is null
       and e.type = :type and e.report_sha256 = :report_sha256 and e.stale_noticed_at is null and ${NOT_LATE}
     returning e.confirmed_at
   )
   select named.environment_id, named.name, named.type, named.archived_at,
     exists (select from touched) as is_known,
     exists (select from touched t where t.confirmed_at is null or ${IN_EARLIER_HOUR}) as is_due
   from named`,
)

/**
 * Updates `last_reported_at` of an environment whose latest report had the same content and is not newer, unless it
 * was announced as stale; returns the environment of that name.
 */
export const reportAgain = touch

const reportedNow = defineStatement(
  'environments.reported',
  {
    org_id: uuid,
    environment_id: uuid,
    ...REPORTED,
    missing: nullable(json<readonly string[]>()),
    now: time,
  },
  {},
  `update environments
   set last_reported_at = greatest(last_reported_at, :reported_at), report_sha256 = :report_sha256,
     observed_at = :observed_at, reporter = :reporter, missing = :missing,
     unlogged_reports = unlogged_reports + 1, unlogged_since = coalesce(unlogged_since, :now)
   where org_id = :org_id and environment_id = :environment_id`,
)

export async function saveReported(
  db: Db,
  org_id: string,
  reported: ReportedRow & { environment_id: string; missing: readonly string[] | null; now: Date },
): Promise<void> {
  await db.run(reportedNow, { org_id, ...reported })
}

const confirmed = defineStatement(
  'environments.confirm',
  { org_id: uuid, environment_id: uuid, now: time },
  {},
  `update environments set unlogged_reports = 0, unlogged_since = null, confirmed_at = :now
   where org_id = :org_id and environment_id = :environment_id`,
)

/** Requires that the caller has locked the environment and recorded its reports so far. */
export async function markConfirmed(
  db: Db,
  org_id: string,
  confirmation: { environment_id: string; now: Date },
): Promise<void> {
  await db.run(confirmed, { org_id, ...confirmation })
}

const members = defineStatement(
  'snapshots.members',
  { org_id: uuid, logical_ids: uuids },
  {
    logical_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    state: nullable(bool),
    is_partial: bool,
    compliant_count: count,
    non_compliant_count: count,
    unknown_count: count,
  },
  `select m.environment_id as logical_id, e.environment_id, e.latest_index as snapshot_index, e.state,
     e.partial_since is not null as is_partial,
     coalesce(s.compliant_count, 0)::bigint as compliant_count,
     coalesce(s.non_compliant_count, 0)::bigint as non_compliant_count,
     coalesce(s.unknown_count, 0)::bigint as unknown_count
   from environment_members m
   join environments e on e.org_id = m.org_id and e.environment_id = m.member_id
   left join snapshots s on s.org_id = e.org_id and s.environment_id = e.environment_id
     and s.snapshot_index = e.latest_index
   where m.org_id = :org_id and m.environment_id = any (:logical_ids::uuid[])
   order by e.environment_id`,
)

export type MemberState = RowOf<typeof members>

/** The members of these logical environments, with their latest snapshots. */
export function listMembers(db: Db, org_id: string, logical_ids: readonly string[]): Promise<MemberState[]> {
  return db.run(members, { org_id, logical_ids: [...logical_ids] })
}

export interface NewLogicalSnapshot {
  environment_id: string
  snapshot_index: number
  created_at: Date
  compliant: boolean | null
  is_partial: boolean
  compliant_count: number
  non_compliant_count: number
  unknown_count: number
  members: { environment_id: string; snapshot_index: number }[]
}

const insertLogical = defineStatement(
  'snapshots.insert_logical',
  {
    org_id: uuid,
    taken: json<readonly NewLogicalSnapshot[]>(),
    cause: text,
    expired_decisions: json<readonly ExpiredDecision[]>(),
    actor: text,
  },
  {},
  `with made as (
     insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
                            non_compliant_count, unknown_count, applied_policies, members, cause, actor, is_partial,
                            expired_decisions)
     select :org_id, t.environment_id, t.snapshot_index, t.created_at, t.compliant, t.compliant_count,
            t.non_compliant_count, t.unknown_count, '[]', t.members, :cause, :actor, nullif(t.is_partial, false),
            nullif(:expired_decisions::jsonb, '[]')
     from jsonb_to_recordset(:taken::jsonb) as t(environment_id uuid, snapshot_index int, created_at timestamptz,
       compliant boolean, compliant_count int, non_compliant_count int, unknown_count int, members jsonb, is_partial boolean)
     returning environment_id, snapshot_index, created_at, compliant
   )
   update environments e
   set latest_index = made.snapshot_index, state = made.compliant, last_changed_at = made.created_at
   from made
   where e.org_id = :org_id and e.environment_id = made.environment_id`,
)

/** Inserts the snapshots of any number of logical environments, which the caller has locked. */
export async function insertLogicalSnapshots(
  db: Db,
  org_id: string,
  taken: readonly NewLogicalSnapshot[],
  why: { cause: Cause; expired_decisions: readonly ExpiredDecision[]; actor: string },
): Promise<void> {
  await db.run(insertLogical, { org_id, taken, ...why })
}
