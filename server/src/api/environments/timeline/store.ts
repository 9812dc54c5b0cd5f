// The statements that read the compliance of an environment over time. Their cost depends on the number of snapshots
// and deployments in the period, not on the number of running artifacts.
import { computeFirst } from '../../../db/compute-first.ts'
import type { Db } from '../../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  time,
  times,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import type { Silence } from '../../../domain/snapshot/silences.ts'

const firstAt = defineStatement(
  'timeline.first_snapshot',
  { org_id: uuid, environment_id: uuid },
  { created_at: time },
  `select created_at from snapshots
   where org_id = :org_id and environment_id = :environment_id
   order by snapshot_index limit 1`,
)

/** When the first snapshot was taken; null if there is none. */
export async function findFirstSnapshotTime(
  db: Db,
  org_id: string,
  environment_id: string,
): Promise<Date | null> {
  return (await db.run(firstAt, { org_id, environment_id }))[0]?.created_at ?? null
}

const sumMs = (ms: string, state: string) => `coalesce(sum(${ms}) filter (where ${state}), 0)::bigint`
const lastsMs = (from: string, to: string) =>
  `extract(epoch from greatest(interval '0', ${to} - ${from})) * 1000`

const inBuckets = defineStatement(
  'timeline.in_buckets',
  {
    org_id: uuid,
    environment_ids: uuids,
    from_at: time,
    to_at: time,
    now: time,
    /** The start of each bucket. */
    starts: times,
    /** Pairs of an environment and a physical one whose deployments count for it. */
    owner_ids: uuids,
    source_ids: uuids,
    /** Silences of environments, without overlaps: a compliant state is unknown during these. */
    silent_ids: uuids,
    silent_from: times,
    silent_to: times,
  },
  {
    environment_id: uuid,
    /** Counted from 1; empty buckets are left out. */
    bucket: int,
    compliant_ms: count,
    non_compliant_ms: count,
    unknown_ms: count,
    /** Part of the unknown time. */
    stale_ms: count,
    first_index: nullable(int),
    last_index: nullable(int),
    snapshots: count,
    deployments: count,
  },
  // A snapshot is in force until just before the next one, hence the microsecond.
  `select e.environment_id, found.* from unnest(:environment_ids::uuid[]) as e(environment_id)
   cross join lateral (
   with taken as (
     select s.snapshot_index, s.compliant, s.created_at,
       coalesce(lead(s.created_at) over (order by s.created_at, s.snapshot_index), least(:to_at::timestamptz, :now::timestamptz)) as ended_at
     from snapshots s
     where s.org_id = :org_id and s.environment_id = e.environment_id and s.created_at <= :to_at
       and s.created_at >= ${computeFirst(`coalesce((
         select b.created_at from snapshots b
         where b.org_id = :org_id and b.environment_id = e.environment_id and b.created_at <= :from_at
         order by b.created_at desc, b.snapshot_index desc limit 1), :from_at::timestamptz)`)}
   ), in_force as (
     select *, greatest(1, width_bucket(created_at, :starts::timestamptz[])) as first_bucket,
       width_bucket(ended_at - interval '1 microsecond', :starts::timestamptz[]) as last_bucket
     from taken where created_at >= :from_at or ended_at > :from_at
   ), silent as materialized (
     select s.from_at, s.to_at
     from unnest(:silent_ids::uuid[], :silent_from::timestamptz[], :silent_to::timestamptz[]) as s(environment_id, from_at, to_at)
     where s.environment_id = e.environment_id
   ), pieces as (
     select x.snapshot_index, x.compliant, b.bucket, b.bucket = x.first_bucket and x.created_at >= :from_at as is_taken,
       ${lastsMs('part.from_at', 'part.to_at')} as lasted_ms,
       case when x.compliant is false then 0 else coalesce((
         select sum(${lastsMs('greatest(part.from_at, s.from_at)', 'least(part.to_at, s.to_at)')}) from silent s), 0)
       end as stale_ms
     from in_force x
     cross join lateral generate_series(x.first_bucket, greatest(x.first_bucket, x.last_bucket)) as b(bucket)
     cross join lateral (
       select greatest(x.created_at, (:starts::timestamptz[])[b.bucket]) as from_at,
         least(x.ended_at, (:starts::timestamptz[])[b.bucket + 1]) as to_at
     ) part
   ), started as (
     select width_bucket(d.deployed_at, :starts::timestamptz[]) as bucket, count(*) as deployments
     from unnest(:owner_ids::uuid[], :source_ids::uuid[]) as source(owner_id, environment_id)
     cross join lateral (
       select x.deployed_at from deployments x
       where x.org_id = :org_id and x.environment_id = source.environment_id and x.is_primary
         and x.deployed_at >= :from_at and x.deployed_at <= :to_at
       offset 0
     ) d
     where source.owner_id = e.environment_id
     group by 1
   )
   select bucket, ${sumMs('lasted_ms - stale_ms', 'compliant')} as compliant_ms,
     ${sumMs('lasted_ms', 'not compliant')} as non_compliant_ms,
     ${sumMs('case when compliant then stale_ms else lasted_ms end', 'compliant is not false')} as unknown_ms,
     ${sumMs('stale_ms', 'true')} as stale_ms, min(snapshot_index) as first_index, max(snapshot_index) as last_index,
     count(*) filter (where is_taken) as snapshots, coalesce(sum(deployments), 0)::bigint as deployments
   from (
     select bucket, compliant, lasted_ms, stale_ms, snapshot_index, is_taken, null::bigint as deployments from pieces
     union all
     select bucket, null, null, null, null, false, deployments from started
   ) combined
   group by bucket) found`,
)

export type BucketRow = RowOf<typeof inBuckets>

export interface Period {
  from_at: Date
  to_at: Date
  now: Date
  /** The start of each bucket. */
  starts: Date[]
}

export interface TimelineSource {
  environment_id: string
  /** Without overlaps. */
  silences: readonly Silence[]
  /** The physical environments whose deployments count. */
  deployed_to: readonly string[]
}

export function listBuckets(
  db: Db,
  org_id: string,
  environments: readonly TimelineSource[],
  period: Period,
): Promise<BucketRow[]> {
  const pairs = environments.flatMap(({ environment_id, deployed_to }) =>
    deployed_to.map(source_id => ({ owner_id: environment_id, source_id })),
  )
  const silences = environments.flatMap(({ environment_id, silences: its }) =>
    its.map(silence => ({ environment_id, ...silence })),
  )
  return db.run(inBuckets, {
    org_id,
    ...period,
    environment_ids: environments.map(({ environment_id }) => environment_id),
    silent_ids: silences.map(({ environment_id }) => environment_id),
    silent_from: silences.map(({ from }) => from),
    silent_to: silences.map(({ to }) => to ?? period.now),
    owner_ids: pairs.map(({ owner_id }) => owner_id),
    source_ids: pairs.map(({ source_id }) => source_id),
  })
}
