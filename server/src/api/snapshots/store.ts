// Every statement that reads snapshots. A snapshot consists of the intervals that contain its number: open ones that
// began at or before it, and closed ones stored on the path from its number to the root (domain/snapshot/tree.ts).
import { computeFirst } from '../../db/compute-first.ts'
import type { Db } from '../../db/database.ts'
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
} from '../../db/statement.ts'
import type { Policy } from '../../domain/policy/policy.ts'
import type { ExpiredDecision } from '../../domain/snapshot/cause.ts'
import type { InstancesDetail } from '../../domain/snapshot/reported.ts'
import { computeRootPath, type RootPath } from '../../domain/snapshot/tree.ts'
import type { Replaced } from '../../evaluation/deployments.ts'
import type { Evaluation } from '../../evaluation/evaluate-artifacts.ts'
import { STALE_AT, WAITING_SINCE } from '../environments/store.ts'

export interface SnapshotSelector {
  /** Exactly one of the three is set. */
  index: number | null
  behind: number | null
  time: Date | null
}

const head = defineStatement(
  'snapshots.head',
  { org_id: uuid, env_name: text, index: nullable(int), behind: nullable(int), time: nullable(time) },
  {
    environment_id: uuid,
    environment_name: text,
    type: text,
    archived_at: nullable(time),
    stale_at: nullable(time),
    waiting_since: nullable(time),
    latest_index: int,
    asked_index: int,
    created_at: nullable(time),
    compliant: nullable(bool),
    compliant_count: nullable(int),
    non_compliant_count: nullable(int),
    unknown_count: nullable(int),
    applied_policies: nullable(json<{ policy_id: string; version: number }[]>()),
    members: nullable(json<{ environment_id: string; snapshot_index: number }[]>()),
    cause: nullable(text),
    expired_decisions: nullable(json<ExpiredDecision[]>()),
    actor: nullable(text),
    is_partial: nullable(bool),
    observed_at: nullable(time),
    next_created_at: nullable(time),
  },
  // Each step finds one row by its key: as a join, it would read all snapshots of the environment.
  `select e.environment_id, e.name as environment_name, e.type, e.archived_at, ${STALE_AT} as stale_at,
     ${WAITING_SINCE} as waiting_since, e.latest_index,
     asked.index as asked_index,
     s.created_at, s.compliant, s.compliant_count, s.non_compliant_count, s.unknown_count, s.applied_policies, s.members,
     s.cause, s.expired_decisions, s.actor, s.is_partial, s.observed_at, (
       select x.created_at from snapshots x
       where x.org_id = e.org_id and x.environment_id = e.environment_id
         and x.snapshot_index = ${computeFirst('asked.index::bigint + 1')}) as next_created_at
   from environments e
   cross join lateral (
     select coalesce(:index::int, e.latest_index - :behind::int, (
       select x.snapshot_index from snapshots x
       where x.org_id = e.org_id and x.environment_id = e.environment_id and x.created_at <= :time::timestamptz
       order by x.created_at desc, x.snapshot_index desc limit 1), 0) as index
     offset 0
   ) asked
   left join lateral (
     select x.* from snapshots x
     where x.org_id = e.org_id and x.environment_id = e.environment_id and x.snapshot_index = asked.index
     limit 1
   ) s on true
   where e.org_id = :org_id and e.environment_id = environment_meant(:org_id, :env_name)`,
)

export type SnapshotHead = RowOf<typeof head>

export async function findHead(db: Db, org_id: string, env_name: string, selector: SnapshotSelector) {
  return (await db.run(head, { org_id, env_name, ...selector }))[0]
}

/** The SQL expressions that identify a snapshot: columns of a list of snapshots. */
interface At {
  environment_id: string
  index: string
  at_or_before: string
  after: string
}

/** A snapshot of a physical environment. */
export interface SnapshotRef {
  environment_id: string
  snapshot_index: number
}

type NumberedPlace = SnapshotRef & RootPath & { place: number }

const PLACES = `jsonb_to_recordset(:places::jsonb) as p(
       place int, environment_id uuid, snapshot_index int, at_or_before int[], after int[])`
const AT_PLACE: At = {
  environment_id: 'p.environment_id',
  index: 'p.snapshot_index',
  at_or_before: 'p.at_or_before',
  after: 'p.after',
}
/** The artifacts that exited in the snapshot of a place. */
const EXITED = `x.org_id = :org_id and x.environment_id = p.environment_id and x.to_index = p.snapshot_index and x.is_exit`

/** The rows of an interval table that contain a snapshot number. */
export const selectContaining = (table: string, columns: string, at: At): string => `
     select ${columns} from ${table} x
     where x.org_id = :org_id and x.environment_id = ${at.environment_id} and x.to_index is null
       and x.from_index <= ${at.index}
     union all
     select ${columns} from unnest(${at.at_or_before}) way(node)
     cross join lateral (
       select * from ${table} y
       where y.org_id = :org_id and y.environment_id = ${at.environment_id} and y.node = way.node
         and y.to_index > ${at.index}
       offset 0
     ) x
     union all
     select ${columns} from unnest(${at.after}) way(node)
     cross join lateral (
       select * from ${table} y
       where y.org_id = :org_id and y.environment_id = ${at.environment_id} and y.node = way.node
         and y.from_index <= ${at.index}
       offset 0
     ) x`

const RUN_COLUMNS = 'x.artifact_key, x.fingerprint, x.name, x.instance_count, x.instances, x.replaced'
const AT = { org_id: uuid, places: json<NumberedPlace[]>() }

const runsAt = defineStatement(
  'snapshots.runs_at',
  AT,
  {
    place: int,
    artifact_key: text,
    fingerprint: text,
    name: text,
    instance_count: int,
    instances: json<InstancesDetail>(),
    replaced: json<Replaced[]>(),
    is_exit: bool,
  },
  `select p.place, x.* from ${PLACES} cross join lateral (
     select ${RUN_COLUMNS}, false as is_exit from (${selectContaining('runs', RUN_COLUMNS, AT_PLACE)}) x
     union all
     select ${RUN_COLUMNS}, true from runs x where ${EXITED}
   ) x`,
)

export type RunRow = Omit<RowOf<typeof runsAt>, 'place'>

const verdictsAt = defineStatement(
  'snapshots.verdicts_at',
  AT,
  { place: int, artifact_key: text, compliant: nullable(bool), evaluation: json<Evaluation>() },
  `select p.place, x.* from ${PLACES} cross join lateral (
     ${selectContaining('verdicts', 'x.artifact_key, x.compliant, x.evaluation', AT_PLACE)}
     union all
     select v.artifact_key, v.compliant, v.evaluation from runs x
     -- Looked up by its whole key: a join could compare all that exited with all verdicts.
     cross join lateral (
       select y.artifact_key, y.compliant, y.evaluation from verdicts y
       where y.org_id = :org_id and y.environment_id = p.environment_id and y.artifact_key = x.artifact_key
         and y.to_index = p.snapshot_index
       offset 0
     ) v
     where ${EXITED}
   ) x`,
)

export type VerdictRow = Omit<RowOf<typeof verdictsAt>, 'place'>

const eventsAt = defineStatement(
  'snapshots.events_at',
  AT,
  { place: int, artifact_key: text, type: text, was: int, now: int },
  `select p.place, e.artifact_key, e.type, e.was, e.now from ${PLACES}
   cross join lateral (
     select x.* from environment_events x
     where x.org_id = :org_id and x.environment_id = p.environment_id and x.snapshot_index = p.snapshot_index offset 0
   ) e`,
)

type AnnotationRow = RowOf<typeof eventsAt>

export interface SnapshotRows {
  runs: RunRow[]
  verdicts: VerdictRow[]
  annotations: AnnotationRow[]
}

/** All rows of each snapshot. The number of statements does not depend on the number of snapshots. */
export async function readSnapshotRows(
  db: Db,
  org_id: string,
  snapshots: readonly SnapshotRef[],
): Promise<SnapshotRows[]> {
  const at = { org_id, places: numberPlaces(snapshots) }
  const [runs, verdicts, annotations] = await Promise.all([
    db.run(runsAt, at),
    db.run(verdictsAt, at),
    db.run(eventsAt, at),
  ])
  const found = snapshots.map((): SnapshotRows => ({ runs: [], verdicts: [], annotations: [] }))
  for (const row of runs) found[row.place]?.runs.push(row)
  for (const row of verdicts) found[row.place]?.verdicts.push(row)
  for (const row of annotations) found[row.place]?.annotations.push(row)
  return found
}

function numberPlaces(snapshots: readonly SnapshotRef[]): NumberedPlace[] {
  return snapshots.map(({ environment_id, snapshot_index }, place) => ({
    place,
    environment_id,
    snapshot_index,
    ...computeRootPath(snapshot_index),
  }))
}

const RUNS_TO_COMPARE = 'x.artifact_key, x.fingerprint, x.name, x.instance_count, x.instances'

// Uses the flow known now, not at the time of the snapshot: a comparison is not a record.
const runsToCompare = defineStatement(
  'snapshots.runs_to_compare',
  AT,
  {
    artifact_key: text,
    fingerprint: text,
    name: text,
    instance_count: int,
    most_recent_timestamp: count,
    pods: nullable(texts),
    flow: nullable(text),
    commit_url: nullable(text),
  },
  `select x.artifact_key, x.fingerprint, x.name, x.instance_count,
     coalesce((x.instances -> 'creation_timestamps' ->> -1)::bigint, 0) as most_recent_timestamp,
     case when json_typeof(x.instances -> 'pods') = 'object'
       then array(select json_object_keys(x.instances -> 'pods')) end as pods,
     built.flow, built.commit_url
   from ${PLACES} cross join lateral (${selectContaining('runs', RUNS_TO_COMPARE, AT_PLACE)}) x
   left join lateral (
     select f.name as flow, a.report ->> 'commit_url' as commit_url from artifacts a
     join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
     where a.org_id = :org_id and a.fingerprint = x.fingerprint and x.fingerprint <> ''
     order by a.artifact_id limit 1
   ) built on true
   order by p.place`,
)

export type DiffRow = RowOf<typeof runsToCompare>

const verdictsToCompare = defineStatement(
  'snapshots.verdicts_to_compare',
  AT,
  { artifact_key: text, compliant: nullable(bool) },
  `select x.artifact_key, x.compliant
   from ${PLACES} cross join lateral (
     ${selectContaining('verdicts', 'x.artifact_key, x.compliant', AT_PLACE)}) x`,
)

export type DiffVerdictRow = RowOf<typeof verdictsToCompare>

/** The running artifacts of the snapshots, in their order, with the columns that a comparison needs, and their verdicts. */
export async function readRowsToCompare(
  db: Db,
  org_id: string,
  snapshots: readonly SnapshotRef[],
): Promise<{ runs: DiffRow[]; verdicts: DiffVerdictRow[] }> {
  const at = { org_id, places: numberPlaces(snapshots) }
  const [runs, verdicts] = await Promise.all([db.run(runsToCompare, at), db.run(verdictsToCompare, at)])
  return { runs, verdicts }
}

const applied = defineStatement(
  'snapshots.applied_policies',
  { org_id: uuid, applied: json<readonly { policy_id: string; version: number }[]>() },
  { policy_id: uuid, name: text, version: int, parsed: json<Policy>() },
  `select p.policy_id, p.name, v.version, v.parsed
   from (select distinct policy_id, version
     from jsonb_to_recordset(:applied::jsonb) as i(policy_id uuid, version int)) x
   join policies p on p.org_id = :org_id and p.policy_id = x.policy_id
   join policy_versions v on v.org_id = :org_id and v.policy_id = x.policy_id and v.version = x.version
   order by p.name`,
)

export type AppliedPolicyRow = RowOf<typeof applied>

/** The policy versions that were in force. */
export function listAppliedPolicies(
  db: Db,
  org_id: string,
  versions: readonly { policy_id: string; version: number }[],
): Promise<AppliedPolicyRow[]> {
  return versions.length === 0 ? Promise.resolve([]) : db.run(applied, { org_id, applied: versions })
}

const memberHeads = defineStatement(
  'snapshots.member_heads',
  {
    org_id: uuid,
    environment_id: uuid,
    before: int,
    members: json<readonly { environment_id: string; snapshot_index: number }[]>(),
  },
  {
    environment_id: uuid,
    environment_name: text,
    snapshot_index: int,
    /** False if the previous logical snapshot contained this snapshot of the member too. */
    is_new: bool,
    applied_policies: json<{ policy_id: string; version: number }[]>(),
  },
  `select s.environment_id, e.name as environment_name, s.snapshot_index,
     not coalesce(earlier.members @> jsonb_build_array(
       jsonb_build_object('environment_id', s.environment_id, 'snapshot_index', s.snapshot_index)), false) as is_new,
     s.applied_policies
   from jsonb_to_recordset(:members::jsonb) as m(environment_id uuid, snapshot_index int)
   join snapshots s on s.org_id = :org_id and s.environment_id = m.environment_id
     and s.snapshot_index = m.snapshot_index
   join environments e on e.org_id = :org_id and e.environment_id = m.environment_id
   left join snapshots earlier on earlier.org_id = :org_id and earlier.environment_id = :environment_id
     and earlier.snapshot_index = :before
   order by e.name`,
)

export type MemberHead = RowOf<typeof memberHeads>

/** The snapshots that a snapshot of a logical environment combines. */
export function listMemberHeads(
  db: Db,
  org_id: string,
  logical: {
    environment_id: string
    snapshot_index: number
    members: { environment_id: string; snapshot_index: number }[]
  },
): Promise<MemberHead[]> {
  const { environment_id, snapshot_index, members } = logical
  return db.run(memberHeads, { org_id, environment_id, before: snapshot_index - 1, members })
}

const list = defineStatement(
  'snapshots.list',
  { org_id: uuid, environment_id: uuid, from_index: int, to_index: int },
  {
    snapshot_index: int,
    created_at: time,
    next_created_at: nullable(time),
    compliant: nullable(bool),
    cause: text,
    expired_decisions: nullable(json<ExpiredDecision[]>()),
    is_partial: nullable(bool),
    observed_at: nullable(time),
    compliant_count: int,
    non_compliant_count: int,
    unknown_count: int,
    policy_count: int,
    /** Null unless the environment is logical. */
    member_count: nullable(int),
  },
  // A subquery per row, because the cached plan of a join would depend on the table sizes at planning time.
  `select s.snapshot_index, s.created_at,
     (select f.created_at from snapshots f
      where f.org_id = :org_id and f.environment_id = :environment_id
        and f.snapshot_index = ${computeFirst('s.snapshot_index + 1')}) as next_created_at,
     s.compliant, s.cause, s.expired_decisions, s.is_partial, s.observed_at, s.compliant_count,
     s.non_compliant_count, s.unknown_count, jsonb_array_length(s.applied_policies) as policy_count,
     jsonb_array_length(s.members) as member_count
   from snapshots s
   where s.org_id = :org_id and s.environment_id = :environment_id
     and s.snapshot_index between :from_index and :to_index
   order by s.snapshot_index`,
)

export type SnapshotListRow = RowOf<typeof list>

/** Oldest first. */
export function listSnapshots(
  db: Db,
  org_id: string,
  selector: { environment_id: string; from_index: number; to_index: number },
): Promise<SnapshotListRow[]> {
  return db.run(list, { org_id, ...selector })
}
