// The statements that search for fingerprints and commits. Both are lowercase hex in byte order, so a prefix is a range
// that ends before `g`. Results in archived flows are included and marked.
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
  time,
  uuid,
} from '../../db/statement.ts'
import type { Slice } from '../shared/page.ts'
import { PLACE_ROW, type Place, selectPlaces } from '../shared/places-store.ts'

const MAX_MATCHES = 100
const MAX_ARTIFACTS = 100

const hasPrefix = (column: string) => `${column} >= :prefix and ${column} < :prefix || 'g'`
const TRAIL_COMMIT = 'r.git_commit'

const matches = defineStatement(
  'search.matches',
  { org_id: uuid, prefix: text, limit: int },
  { type: text, match: text, count },
  `with found as (
     select 'fingerprint' as type, a.fingerprint as match from artifacts a
     where a.org_id = :org_id and ${hasPrefix('a.fingerprint')}
     union all
     select 'commit', p.git_commit from artifact_reports p
     where p.org_id = :org_id and ${hasPrefix('p.git_commit')}
     union all
     select 'commit', ${TRAIL_COMMIT} from trails r
     where r.org_id = :org_id and ${hasPrefix(TRAIL_COMMIT)}
   ), ranked as (
     select found.type, found.match, row_number() over (partition by found.type order by found.match) as place,
            count(*) over (partition by found.type) as count
     from found
     group by found.type, found.match
   )
   select type, match, count from ranked where place <= :limit::int order by type, match`,
)

export type Match = RowOf<typeof matches>

const FOUND = `
     select a.artifact_id from artifacts a where a.org_id = :org_id and ${hasPrefix('a.fingerprint')}
     union
     select p.artifact_id from artifact_reports p where p.org_id = :org_id and ${hasPrefix('p.git_commit')}`

const artifacts = defineStatement(
  'search.artifacts',
  { org_id: uuid, prefix: text, limit: int },
  {
    fingerprint: text,
    filename: text,
    flow_name: text,
    git_commit: nullable(text),
    state: text,
    commit_url: text,
    build_url: text,
    committed_at: nullable(json<number>()),
    created_at: time,
    is_archived: bool,
    total: count,
  },
  `with found as (${FOUND})
   select a.fingerprint, a.filename, f.name as flow_name, a.git_commit, a.state,
          coalesce(a.report ->> 'commit_url', '') as commit_url, coalesce(a.report ->> 'build_url', '') as build_url,
          coalesce(
            a.report -> 'git_commit_info' -> 'timestamp',
            (select c -> 'timestamp'
             from json_array_elements(a.report -> 'commits_list') c
             where c ->> 'sha1' = a.git_commit limit 1)) as committed_at,
          a.created_at, f.archived_at is not null as is_archived, count(*) over () as total
   from found
   join artifacts a on a.org_id = :org_id and a.artifact_id = found.artifact_id
   join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
   order by a.artifact_id desc
   limit :limit::int`,
)

export type FoundArtifact = RowOf<typeof artifacts>

// Finds the same artifacts again, so both statements are sent in one round trip.
const places = defineStatement(
  'search.places',
  { org_id: uuid, prefix: text, limit: int },
  PLACE_ROW,
  selectPlaces(`
     select distinct newest.fingerprint from (
       select a.fingerprint from (${FOUND}) found
       cross join lateral (
         select x.artifact_id, x.fingerprint, x.flow_id from artifacts x
         where x.org_id = :org_id and x.artifact_id = found.artifact_id limit 1
       ) a
       order by a.artifact_id desc
       limit :limit::int
     ) newest`),
)

/** Every fingerprint and commit with the prefix, their artifacts and where those run, in one round trip. */
export async function findBySha(db: Db, org_id: string, prefix: string) {
  const [found, built, placed] = await Promise.all([
    db.run(matches, { org_id, prefix, limit: MAX_MATCHES }),
    db.run(artifacts, { org_id, prefix, limit: MAX_ARTIFACTS }),
    db.run(places, { org_id, prefix, limit: MAX_ARTIFACTS }),
  ])
  return { matches: found, artifacts: built, places: placed as Place[] }
}

// A trail reports a commit directly, or through an artifact that was built from it.
const REPORTING = `
  select r.trail_id from trails r where r.org_id = :org_id and ${hasPrefix(TRAIL_COMMIT)}
  union
  select a.trail_id from artifact_reports p
  join artifacts a on a.org_id = :org_id and a.artifact_id = p.artifact_id
  where p.org_id = :org_id and a.trail_id is not null and ${hasPrefix('p.git_commit')}`

const countTrails = defineStatement(
  'search.count_trails',
  { org_id: uuid, prefix: text },
  { total: count },
  `select count(*) as total
   from (${REPORTING}) found
   join trails r on r.org_id = :org_id and r.trail_id = found.trail_id`,
)

const trails = defineStatement(
  'search.trails',
  { org_id: uuid, prefix: text, limit: nullable(int), offset: count },
  { flow_name: text, trail_name: text, branch: text, commit_url: text, is_archived: bool },
  `select f.name as flow_name, r.name as trail_name, f.archived_at is not null as is_archived, coalesce(source.branch, '') as branch,
          coalesce(source.commit_url, '') as commit_url
   from (${REPORTING}) found
   join trails r on r.org_id = :org_id and r.trail_id = found.trail_id
   join flows f on f.org_id = r.org_id and f.flow_id = r.flow_id
   left join lateral (
     select * from (
       select r.git_commit_info ->> 'branch' as branch, r.git_commit_info ->> 'url' as commit_url, 1 as place
       where ${hasPrefix(TRAIL_COMMIT)}
       union all
       (select p.report -> 'git_commit_info' ->> 'branch', p.report ->> 'commit_url', 2
        from artifacts a join artifact_reports p on p.org_id = :org_id and p.artifact_id = a.artifact_id
        where a.org_id = :org_id and a.trail_id = r.trail_id and ${hasPrefix('p.git_commit')}
        order by p.report_id desc limit 1)
     ) sources
     order by place limit 1
   ) source on true
   order by r.trail_id desc
   limit :limit::int offset :offset::bigint`,
)

export type FoundTrail = RowOf<typeof trails>

/** One page of trails, newest first, and the total, in one round trip. */
export async function findTrailsOfCommit(db: Db, org_id: string, prefix: string, slice: Slice) {
  const [rows, [counted]] = await Promise.all([
    db.run(trails, { org_id, prefix, ...slice }),
    db.run(countTrails, { org_id, prefix }),
  ])
  return { rows, total: counted?.total ?? 0 }
}
