// The statements that read builds: artifacts first reported in a period.
import type { Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  plannedEachTime,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { Period } from '../../domain/period.ts'
import { toIdAfter, toIdBefore } from '../shared/id-bounds.ts'
import type { Slice } from '../shared/page.ts'

const FILTER = { org_id: uuid, from_id: uuid, to_id: uuid, from_at: time, to_at: time }
const OF_REPOS = { ...FILTER, repo_ids: uuids }

// An artifact that any flow reported earlier is not a new build.
const selectFrom = ({ of_repo, earlier_of }: { of_repo: string; earlier_of: string }) => `
  from artifacts a join flows f on f.org_id = a.org_id and f.flow_id = a.flow_id
  where a.org_id = :org_id and a.artifact_id >= :from_id and a.artifact_id < :to_id
    and a.created_at >= :from_at and a.created_at <= :to_at and f.archived_at is null ${of_repo}
    and not exists (
      select from artifacts x join flows g on g.org_id = x.org_id and g.flow_id = x.flow_id
      where x.org_id = :org_id and x.fingerprint = a.fingerprint and x.artifact_id < a.artifact_id
        and g.archived_at is null ${earlier_of})`

const ROW = {
  artifact_id: uuid,
  fingerprint: text,
  filename: text,
  flow_name: text,
  trail_name: nullable(text),
  git_commit: nullable(text),
  commit_url: text,
  build_url: text,
  repo: nullable(json<{ id: string; name: string; repo_id: string }>()),
  created_at: time,
}
const PAGE = { limit: nullable(int), offset: count }

const ANY_REPO = selectFrom({ of_repo: '', earlier_of: '' })
const NEWEST_FIRST = 'order by a.artifact_id desc'

const selectPage = (builds: string) => `
   select b.artifact_id, b.fingerprint, b.filename, b.flow_name,
     (select t.name from trails t where t.org_id = :org_id and t.trail_id = b.trail_id) as trail_name,
     b.git_commit, b.report ->> 'commit_url' as commit_url, b.report ->> 'build_url' as build_url,
     (select json_build_object('id', r.repo_id, 'name', r.name, 'repo_id', r.external_id)
      from repos r where r.org_id = :org_id and r.repo_id = b.repo_id) as repo,
     b.created_at
   from (
     ${builds} ${NEWEST_FIRST} limit :limit::int offset :offset::bigint
   ) b
   order by b.artifact_id desc`

const list = defineStatement(
  'builds.list',
  { ...FILTER, ...PAGE },
  ROW,
  selectPage(`select a.*, f.name as flow_name ${ANY_REPO}`),
  plannedEachTime(),
)

const countAll = defineStatement(
  'builds.count',
  FILTER,
  { total: count },
  `select count(*) as total ${ANY_REPO}`,
  readsWholeOrg('the total of a list counts every build of the period'),
)

// Separate statements, which scan the index once per repository: for a list of unknown length the planner would
// expect most of the artifacts.
const WANTED_REPOS = '(select distinct given as repo_id from unnest(:repo_ids::uuid[]) given) wanted'
const WANTED_REPO = selectFrom({
  of_repo: 'and a.repo_id = wanted.repo_id',
  earlier_of: 'and x.repo_id = any (:repo_ids)',
})

const listOfRepos = defineStatement(
  'builds.list_of_repos',
  { ...OF_REPOS, ...PAGE },
  ROW,
  selectPage(`select a.* from ${WANTED_REPOS} cross join lateral (
       select a.*, f.name as flow_name ${WANTED_REPO} ${NEWEST_FIRST} limit :limit::int + :offset::bigint
     ) a`),
)

const countOfRepos = defineStatement(
  'builds.count_of_repos',
  OF_REPOS,
  { total: count },
  `select count(*) as total from ${WANTED_REPOS} cross join lateral (select a.artifact_id ${WANTED_REPO} offset 0) a`,
)

export type BuildRow = RowOf<typeof list>

/** One page of builds, newest first, and their total number. Both statements are sent together. */
export async function listBuilds(
  db: Db,
  org_id: string,
  { from, to, repo_ids }: Period & { repo_ids: string[] | null },
  slice: Slice,
): Promise<{ rows: BuildRow[]; total: number }> {
  const ids = { from_id: toIdBefore(from), to_id: toIdAfter(to) }
  const filter = { org_id, ...ids, from_at: from, to_at: to }
  const [rows, [counted]] = await Promise.all(
    repo_ids === null
      ? [db.run(list, { ...filter, ...slice }), db.run(countAll, filter)]
      : [
          db.run(listOfRepos, { ...filter, repo_ids, ...slice }),
          db.run(countOfRepos, { ...filter, repo_ids }),
        ],
  )
  return { rows, total: counted?.total ?? 0 }
}

const matching = defineStatement(
  'builds.repos',
  { org_id: uuid, name: nullable(text), external_id: nullable(text), repo_id: nullable(uuid) },
  { repo_id: uuid },
  `select r.repo_id from repos r
   where r.org_id = :org_id and (:name::text is null or r.name = :name)
     and (:external_id::text is null or r.external_id = :external_id)
     and (:repo_id::uuid is null or r.repo_id = :repo_id)`,
)

export interface RepoFilter {
  name: string | null
  external_id: string | null
  repo_id: string | null
}

export async function listRepoIds(db: Db, org_id: string, filter: RepoFilter): Promise<string[]> {
  return (await db.run(matching, { org_id, ...filter })).map(({ repo_id }) => repo_id)
}

const OLDEST_FIRST = 'order by a.artifact_id'

const times = defineStatement(
  'builds.times',
  FILTER,
  { created_at: time },
  `select a.created_at ${ANY_REPO} ${OLDEST_FIRST}`,
  plannedEachTime(readsWholeOrg('a series has every build of the period')),
)
const timesOfRepos = defineStatement(
  'builds.times_of_repos',
  OF_REPOS,
  { created_at: time },
  `select a.created_at from ${WANTED_REPOS} cross join lateral (
     select a.created_at, a.artifact_id ${WANTED_REPO} offset 0) a ${OLDEST_FIRST}`,
)

/** The time of each build, oldest first. */
export async function listBuildTimes(
  db: Db,
  org_id: string,
  { from, to, repo_ids }: Period & { repo_ids: string[] | null },
): Promise<Date[]> {
  const filter = { org_id, from_id: toIdBefore(from), to_id: toIdAfter(to), from_at: from, to_at: to }
  const rows = await (repo_ids === null
    ? db.run(times, filter)
    : db.run(timesOfRepos, { ...filter, repo_ids }))
  return rows.map(({ created_at }) => created_at)
}
