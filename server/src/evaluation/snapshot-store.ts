// The statements that take a snapshot of the running artifacts. Rows that did not change since the previous snapshot
// are not touched: their interval stays open. The index comes from the environment's row, which the caller has
// locked.
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
  texts,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'

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
 * Until the transaction ends nobody else can take a snapshot of it; undefined if it was archived. Not the strongest
 * lock, because pending evaluations reference the environment, and reporting evidence must not wait for an
 * evaluation.
 */
export async function lockEnvironment(db: Db, org_id: string, environment_id: string) {
  return (await lockEnvironments(db, org_id, [environment_id]))[0]
}

/** The same for several, in the order of their ids. */
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

const AHEAD = `org_id = :org_id and environment_id = :environment_id
     and (is_run_ahead or is_verdict_ahead or annotation is not null)`

/** The keys to close, as one list: the index of open intervals is queried for these only. */
const buildClosedKeys = (ahead: 'is_run_ahead' | 'is_verdict_ahead') =>
  `any (:exited::text[] || array(select artifact_key from running_artifacts where ${AHEAD} and ${ahead}))`

const closeRuns = defineStatement(
  'snapshots.close_runs',
  { org_id: uuid, environment_id: uuid, snapshot_index: int, exited: texts },
  {},
  `update runs set to_index = :snapshot_index, is_exit = artifact_key = any (:exited::text[])
   where org_id = :org_id and environment_id = :environment_id and to_index is null
     and artifact_key = ${buildClosedKeys('is_run_ahead')}`,
)

const closeVerdicts = defineStatement(
  'snapshots.close_verdicts',
  { org_id: uuid, environment_id: uuid, snapshot_index: int, exited: texts },
  {},
  `update verdicts set to_index = :snapshot_index
   where org_id = :org_id and environment_id = :environment_id and to_index is null
     and artifact_key = ${buildClosedKeys('is_verdict_ahead')}`,
)

const openRuns = defineStatement(
  'snapshots.open_runs',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  {},
  `insert into runs (org_id, environment_id, run_id, artifact_key, fingerprint, name, instance_count, instances,
                     replaced, from_index)
   select org_id, environment_id, gen_random_uuid(), artifact_key, fingerprint, name, instance_count, instances,
     replaced, :snapshot_index
   from running_artifacts where ${AHEAD} and is_run_ahead`,
)

const openVerdicts = defineStatement(
  'snapshots.open_verdicts',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  {},
  `insert into verdicts (org_id, environment_id, verdict_id, artifact_key, compliant, evaluation, from_index)
   select org_id, environment_id, gen_random_uuid(), artifact_key, compliant, evaluation, :snapshot_index
   from running_artifacts where ${AHEAD} and is_verdict_ahead`,
)

export interface AppliedPolicy {
  policy_id: string
  version: number
}

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
    actor: text,
  },
  { compliant: nullable(bool) },
  `insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
                          non_compliant_count, unknown_count, applied_policies, cause, actor)
   select :org_id, :environment_id, :snapshot_index::int, :created_at::timestamptz,
     case when :has_policies::boolean then count(*) filter (where compliant is distinct from true) = 0 end,
     count(*) filter (where compliant), count(*) filter (where not compliant), count(*) filter (where compliant is null),
     :applied_policies::jsonb, :cause::text, :actor::text
   from running_artifacts where org_id = :org_id and environment_id = :environment_id
   returning compliant`,
)

const insertEvents = defineStatement(
  'snapshots.insert_events',
  { org_id: uuid, environment_id: uuid, snapshot_index: int, happened_at: time, exited: json<unknown[]>() },
  {},
  `insert into environment_events (org_id, environment_id, snapshot_index, artifact_key, happened_at, type, fingerprint,
     artifact_name, was, now, artifact_compliance, snapshot_compliance, flow_ids, repo_ids, code_diff)
   select :org_id, :environment_id, s.snapshot_index, e.artifact_key, :happened_at::timestamptz, e.type, e.fingerprint,
     e.name, e.was, e.now, e.compliant, s.compliant, e.flow_ids, e.repo_ids, e.code_diff
   from snapshots s cross join (
     select artifact_key, annotation as type, fingerprint, name, was, instance_count as now, compliant, flow_ids,
       repo_ids, case when annotation like 'started-%' then replaced -> 0 ->> 'diff_url' end as code_diff
     from running_artifacts where ${AHEAD} and annotation is not null
     union all
     select x.artifact_key, 'exited', x.fingerprint, x.name, x.was, 0, x.compliant, x.flow_ids, x.repo_ids, null
     from jsonb_to_recordset(:exited::jsonb) as x(artifact_key text, fingerprint text, name text, was int,
       compliant boolean, flow_ids uuid[], repo_ids uuid[])
   ) e
   where s.org_id = :org_id and s.environment_id = :environment_id and s.snapshot_index = :snapshot_index`,
)

const settle = defineStatement(
  'snapshots.settle_running',
  { org_id: uuid, environment_id: uuid },
  {},
  `update running_artifacts set is_run_ahead = false, is_verdict_ahead = false, annotation = null, was = instance_count
   where ${AHEAD}`,
)

const advance = defineStatement(
  'snapshots.advance_environment',
  { org_id: uuid, environment_id: uuid, snapshot_index: int },
  {},
  `update environments e
   set latest_index = s.snapshot_index, state = s.compliant, last_changed_at = s.created_at
   from snapshots s
   where e.org_id = :org_id and e.environment_id = :environment_id and s.org_id = e.org_id
     and s.environment_id = e.environment_id and s.snapshot_index = :snapshot_index`,
)

export interface ExitedRow {
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
  cause: string
  actor: string
  exited: ExitedRow[]
}

/** Sent together, executed in this order. Returns the verdict of the environment. */
export async function insertRunningSnapshot(
  db: Db,
  org_id: string,
  snapshot: NewSnapshot,
): Promise<boolean | null> {
  const { environment_id, snapshot_index, created_at, applied_policies, cause, actor } = snapshot
  const numbered = { org_id, environment_id, snapshot_index }
  const exited = snapshot.exited.map(({ artifact_key }) => artifact_key)
  const has_policies = applied_policies.length > 0
  const [inserted] = await Promise.all([
    db.run(insertSnapshot, { ...numbered, created_at, has_policies, applied_policies, cause, actor }),
    db.run(closeRuns, { ...numbered, exited }),
    db.run(closeVerdicts, { ...numbered, exited }),
    db.run(openRuns, numbered),
    db.run(openVerdicts, numbered),
    db.run(insertEvents, { ...numbered, happened_at: created_at, exited: snapshot.exited }),
    db.run(settle, { org_id, environment_id }),
    db.run(advance, numbered),
  ])
  return inserted[0]?.compliant ?? null
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

const touch = defineStatement(
  'environments.report_again',
  { org_id: uuid, env_name: text, type: text, report_sha256: text, now: time },
  {
    environment_id: nullable(uuid),
    name: nullable(text),
    type: nullable(text),
    archived_at: nullable(time),
    is_known: bool,
  },
  `with named as (
     select environment_id, name, type, archived_at from environments
     where org_id = :org_id and environment_id = environment_named(:org_id, :env_name)
   ), touched as (
     update environments e set last_reported_at = greatest(e.last_reported_at, :now)
     from named
     where e.org_id = :org_id and e.environment_id = named.environment_id and e.archived_at is null
       and e.type = :type and e.report_sha256 = :report_sha256 and e.stale_noticed_at is null
     returning e.environment_id
   )
   select named.environment_id, named.name, named.type, named.archived_at,
     exists (select from touched) as is_known
   from named`,
)

/**
 * Updates `last_reported_at` of an environment whose latest report had the same content, unless it was announced as
 * stale; returns the environment of that name.
 */
export const reportAgain = touch

const reportedNow = defineStatement(
  'environments.reported',
  { org_id: uuid, environment_id: uuid, report_sha256: text, now: time },
  {},
  `update environments
   set last_reported_at = greatest(last_reported_at, :now), report_sha256 = :report_sha256
   where org_id = :org_id and environment_id = :environment_id`,
)

export async function saveReported(
  db: Db,
  org_id: string,
  reported: { environment_id: string; report_sha256: string; now: Date },
): Promise<void> {
  await db.run(reportedNow, { org_id, ...reported })
}

const members = defineStatement(
  'snapshots.members',
  { org_id: uuid, logical_ids: uuids },
  {
    logical_id: uuid,
    environment_id: uuid,
    snapshot_index: int,
    state: nullable(bool),
    compliant_count: count,
    non_compliant_count: count,
    unknown_count: count,
  },
  `select m.environment_id as logical_id, e.environment_id, e.latest_index as snapshot_index, e.state,
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

const parents = defineStatement(
  'snapshots.logical_environments',
  { org_id: uuid, environment_id: uuid },
  { environment_id: uuid },
  `select m.environment_id from environment_members m
   join environments e on e.org_id = m.org_id and e.environment_id = m.environment_id and e.archived_at is null
   where m.org_id = :org_id and m.member_id = :environment_id
   order by m.environment_id`,
)

/** The logical environments that include this one. */
export async function listLogicalEnvironments(
  db: Db,
  org_id: string,
  environment_id: string,
): Promise<string[]> {
  return (await db.run(parents, { org_id, environment_id })).map(row => row.environment_id)
}

export interface NewLogicalSnapshot {
  environment_id: string
  snapshot_index: number
  created_at: Date
  compliant: boolean | null
  compliant_count: number
  non_compliant_count: number
  unknown_count: number
  members: { environment_id: string; snapshot_index: number }[]
}

const insertLogical = defineStatement(
  'snapshots.insert_logical',
  { org_id: uuid, taken: json<readonly NewLogicalSnapshot[]>(), cause: text, actor: text },
  {},
  `with made as (
     insert into snapshots (org_id, environment_id, snapshot_index, created_at, compliant, compliant_count,
                            non_compliant_count, unknown_count, applied_policies, members, cause, actor)
     select :org_id, t.environment_id, t.snapshot_index, t.created_at, t.compliant, t.compliant_count,
            t.non_compliant_count, t.unknown_count, '[]', t.members, :cause, :actor
     from jsonb_to_recordset(:taken::jsonb) as t(environment_id uuid, snapshot_index int, created_at timestamptz,
       compliant boolean, compliant_count int, non_compliant_count int, unknown_count int, members jsonb)
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
  { cause, actor }: { cause: string; actor: string },
): Promise<void> {
  await db.run(insertLogical, { org_id, taken, cause, actor })
}
