// The statements that read the compliance of an environment over time. Their cost depends on the number of snapshots
// and deployments in the period, not on the number of running artifacts.
import type { Db } from '../../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  texts,
  time,
  times,
  uuid,
  uuids,
} from '../../../db/statement.ts'

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

const sumMs = (state: string) => `coalesce(sum(lasted_ms) filter (where ${state}), 0)::bigint`

const inBuckets = defineStatement(
  'timeline.in_buckets',
  {
    org_id: uuid,
    environment_ids: uuids,
    /** Of each environment: after this time, a compliant state is no longer known to be true; infinity for never. */
    stale_at: texts,
    from_at: time,
    to_at: time,
    now: time,
    /** The start of each bucket. */
    starts: times,
    /** Pairs of an environment and a physical one whose deployments count for it. */
    owner_ids: uuids,
    source_ids: uuids,
  },
  {
    environment_id: uuid,
    /** Counted from 1; empty buckets are left out. */
    bucket: int,
    compliant_ms: count,
    non_compliant_ms: count,
    unknown_ms: count,
    first_index: nullable(int),
    last_index: nullable(int),
    snapshots: count,
    deployments: count,
  },
  // A snapshot is in force until just before the next one, hence the microsecond.
  `select e.environment_id, found.* from unnest(:environment_ids::uuid[], :stale_at::text[]::timestamptz[]) as e(environment_id, stale_at)
   cross join lateral (
   with taken as (
     select s.snapshot_index, s.compliant, s.created_at,
       lead(s.created_at) over (order by s.created_at, s.snapshot_index) is null as is_last,
       coalesce(lead(s.created_at) over (order by s.created_at, s.snapshot_index), least(:to_at::timestamptz, :now::timestamptz)) as ended_at
     from snapshots s
     where s.org_id = :org_id and s.environment_id = e.environment_id and s.created_at <= :to_at
       and s.created_at >= coalesce((
         select b.created_at from snapshots b
         where b.org_id = :org_id and b.environment_id = e.environment_id and b.created_at <= :from_at
         order by b.created_at desc, b.snapshot_index desc limit 1), :from_at::timestamptz)
   ), known as (
     select snapshot_index, compliant, created_at, true as is_begun, case when is_last and compliant
         then greatest(created_at, least(ended_at, e.stale_at)) else ended_at end as ended_at
     from taken
     union all
     select snapshot_index, null, greatest(created_at, e.stale_at), false, ended_at
     from taken where is_last and compliant and e.stale_at < ended_at
   ), in_force as (
     select *, greatest(1, width_bucket(created_at, :starts::timestamptz[])) as first_bucket,
       width_bucket(ended_at - interval '1 microsecond', :starts::timestamptz[]) as last_bucket
     from known where created_at >= :from_at or ended_at > :from_at
   ), pieces as (
     select x.snapshot_index, x.compliant, b.bucket, x.is_begun and b.bucket = x.first_bucket and x.created_at >= :from_at as is_taken,
       extract(epoch from greatest(interval '0', least(x.ended_at, (:starts::timestamptz[])[b.bucket + 1])
         - greatest(x.created_at, (:starts::timestamptz[])[b.bucket]))) * 1000 as lasted_ms
     from in_force x
     cross join lateral generate_series(x.first_bucket, greatest(x.first_bucket, x.last_bucket)) as b(bucket)
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
   select bucket, ${sumMs('compliant')} as compliant_ms, ${sumMs('not compliant')} as non_compliant_ms,
     ${sumMs('compliant is null')} as unknown_ms, min(snapshot_index) as first_index, max(snapshot_index) as last_index,
     count(*) filter (where is_taken) as snapshots, coalesce(sum(deployments), 0)::bigint as deployments
   from (
     select bucket, compliant, lasted_ms, snapshot_index, is_taken, null::bigint as deployments from pieces
     union all
     select bucket, null, null, null, false, deployments from started
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
  stale_at: Date | null
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
  return db.run(inBuckets, {
    org_id,
    ...period,
    environment_ids: environments.map(({ environment_id }) => environment_id),
    stale_at: environments.map(({ stale_at }) => stale_at?.toISOString() ?? 'infinity'),
    owner_ids: pairs.map(({ owner_id }) => owner_id),
    source_ids: pairs.map(({ source_id }) => source_id),
  })
}
