// Finds where artifacts run, started and exited, by fingerprint. Several resources return these places.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, PLANNED_ONCE, text, texts, time, uuid } from '../../db/statement.ts'
import { groupBy } from '../../lib/group-by.ts'

/** Per kind; the newest are kept. */
const MAX_PLACES = 100
const MAX_EXITS_SCANNED = 1_000

export interface Place {
  fingerprint: string
  /** For `running`, the time and snapshot are those of the latest start in the environment. */
  kind: 'running' | 'started' | 'exited'
  environment_name: string
  snapshot_index: number
  happened_at: Date
}

export const PLACE_ROW = {
  fingerprint: text,
  kind: text,
  environment_name: text,
  snapshot_index: int,
  happened_at: time,
}

/** The places of each `wanted.fingerprint`, oldest first; `wanted` is a query with that column. */
export const selectPlaces = (query: string): string => `
   select wanted.fingerprint, place.kind, v.name as environment_name, place.snapshot_index, place.happened_at
   from (${query}) wanted
   cross join lateral (
     (select 'running' as kind, r.environment_id, start.snapshot_index, start.deployed_at as happened_at
      from running_artifacts r
      cross join lateral (
        select d.snapshot_index, d.deployed_at from deployments d
        where d.org_id = :org_id and d.fingerprint = r.fingerprint and d.environment_id = r.environment_id
        order by d.deployed_at desc, d.snapshot_index desc limit 1
      ) start
      where r.org_id = :org_id and r.fingerprint = wanted.fingerprint
      order by start.deployed_at desc limit ${MAX_PLACES})
     union all
     (select 'started', d.environment_id, d.snapshot_index, d.deployed_at
      from deployments d
      where d.org_id = :org_id and d.fingerprint = wanted.fingerprint and d.is_primary
      order by d.deployed_at desc, d.snapshot_index desc limit ${MAX_PLACES})
     union all
     (select 'exited', ended.environment_id, ended.to_index, s.created_at
      from (
        select r.environment_id, r.to_index from runs r
        where r.org_id = :org_id and r.fingerprint = wanted.fingerprint and r.is_exit
        order by r.from_index desc limit ${MAX_EXITS_SCANNED}
      ) ended
      cross join lateral (
        select x.created_at from snapshots x
        where x.org_id = :org_id and x.environment_id = ended.environment_id and x.snapshot_index = ended.to_index
        limit 1
      ) s
      order by s.created_at desc, ended.to_index desc limit ${MAX_PLACES})
   ) place
   cross join lateral (
     select e.name, e.archived_at from environments e
     where e.org_id = :org_id and e.environment_id = place.environment_id limit 1
   ) v
   where place.kind <> 'running' or v.archived_at is null
   order by place.happened_at, place.snapshot_index, place.kind desc`

const ofFingerprints = defineStatement(
  'shared.places_of_fingerprints',
  { org_id: uuid, fingerprints: texts },
  PLACE_ROW,
  selectPlaces('select distinct given as fingerprint from unnest(:fingerprints::text[]) given'),
  PLANNED_ONCE,
)

/** Where each of the artifacts runs, started and exited, oldest first. */
export async function listPlaces(db: Db, org_id: string, fingerprints: string[]): Promise<Place[]> {
  return (await db.run(ofFingerprints, { org_id, fingerprints })) as Place[]
}

export function groupByFingerprint(places: readonly Place[]): Map<string, Place[]> {
  return groupBy(places, ({ fingerprint }) => fingerprint)
}
