// Every statement about repositories.
import { computed, toColumnList, toExcludedList, toSelectList } from '../../db/columns.ts'
import { type Database, type Db, makeStep, type Step } from '../../db/database.ts'
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
  type Values,
} from '../../db/statement.ts'
import type { Tags } from '../../domain/tags.ts'
import type { Ids } from '../../lib/ids.ts'
import { selectFlowNamed } from '../shared/flow-names-store.ts'
import type { Slice } from '../shared/page.ts'
import type { RepoInfo } from '../shared/wire.ts'

const MAX_SAME_NAME = 100

/** The reported data of a repository, which each report updates. */
export const REPORTED_REPO = {
  name: text,
  url: text,
  description: text,
  namespace_path: json<string[]>(),
  additional_info: json<Record<string, unknown>>(),
}

export const NEW_REPO = { repo_id: uuid, provider: text, external_id: text, ...REPORTED_REPO }

/** The columns of a new repository in a JSON parameter. */
export const NEW_REPO_RECORD = `repo_id uuid, provider text, external_id text, name text, url text, description text,
  namespace_path jsonb, additional_info jsonb`

/** A repository as it was reported. `repo_id` is used if it is new; `provider` is empty if unknown. */
export interface ReportedRepo extends Values<typeof NEW_REPO> {
  /** The trail it was reported with. If the trail does not exist, the report is rejected and creates no repository. */
  flow_name: string
  trail_name: string
}

/**
 * Inserts new repositories and updates changed ones. If a repository occurs twice, the last occurrence counts.
 * Unchanged rows are not touched, so reports of the same repository do not wait for each other.
 */
export const saveRepos = defineStatement(
  'repos.save',
  { org_id: uuid, repos: json<readonly ReportedRepo[]>(), now: time },
  {},
  `insert into repos (org_id, ${toColumnList(NEW_REPO)}, created_at, last_modified_at)
   select :org_id, ${toSelectList('reported', NEW_REPO)}, :now, :now
   from (
     select distinct on (i.provider, i.external_id) i.*
     from jsonb_array_elements(:repos::jsonb) with ordinality as item (repo, place),
          jsonb_to_record(item.repo) as i (${NEW_REPO_RECORD}, flow_name text, trail_name text)
     where (
       select true from ${selectFlowNamed('i.flow_name')} meant
       cross join lateral (
         select from trails t
         where t.org_id = :org_id and t.flow_id = meant.flow_id and t.name = i.trail_name limit 1
       ) known)
     order by i.provider, i.external_id, item.place desc
   ) reported
   where (
     select true from repos known
     where known.org_id = :org_id and known.provider = reported.provider and known.external_id = reported.external_id
       and (${toSelectList('known', REPORTED_REPO)}) = (${toSelectList('reported', REPORTED_REPO)}) limit 1) is null
   order by reported.provider, reported.external_id
   on conflict (org_id, provider, external_id) do update set
     ${toExcludedList(REPORTED_REPO)}, last_modified_at = excluded.last_modified_at`,
)

interface RepoLink {
  flow_name: string
  trail_name: string
  provider: string
  external_id: string
  /** The artifact the repository was reported with, if any. */
  fingerprint: string | null
}

/**
 * Links each trail, and the artifact that was reported with it, to its repository. Also passes the ids as an array:
 * joined with the links alone, PostgreSQL could read all artifacts of the organization.
 */
const linkRepos = defineStatement(
  'repos.link',
  { org_id: uuid, links: json<readonly RepoLink[]>() },
  {},
  `with link as (
     select distinct t.trail_id, r.repo_id, i.fingerprint
     from jsonb_to_recordset(:links::jsonb) as i(flow_name text, trail_name text, provider text, external_id text,
       fingerprint text)
     cross join lateral ${selectFlowNamed('i.flow_name')} meant
     cross join lateral (
       select x.trail_id from trails x
       where x.org_id = :org_id and x.flow_id = meant.flow_id and x.name = i.trail_name limit 1
     ) t
     cross join lateral (
       select x.repo_id from repos x
       where x.org_id = :org_id and x.provider = i.provider and x.external_id = i.external_id limit 1
     ) r
   ), linked as (
     insert into trail_repos (org_id, trail_id, repo_id)
     select distinct :org_id::uuid, trail_id, repo_id from link order by trail_id, repo_id
     on conflict do nothing
   ), found as (
     select built.artifact_id, link.repo_id from link cross join lateral (
       select x.artifact_id from artifacts x
       where x.org_id = :org_id and x.trail_id = link.trail_id and x.fingerprint = link.fingerprint
         and x.repo_id is distinct from link.repo_id
       offset 0
     ) built
   )
   update artifacts a set repo_id = found.repo_id
   from found
   where a.org_id = :org_id and a.artifact_id = any (array(select artifact_id from found))
     and a.artifact_id = found.artifact_id`,
)

export interface ReportWithRepo {
  flow_name: string
  trail_name: string
  repo_info: RepoInfo | undefined
  fingerprint: string | null
}

/** The steps that store the repositories of a batch of reports. They run after the trails exist. */
export function buildRepoSteps(
  org_id: string,
  reports: readonly ReportWithRepo[],
  ids: Ids,
  now: Date,
): Step[] {
  const repos = reports.flatMap(({ repo_info, ...report }) =>
    repo_info ? { ...report, repo_id: ids.next(), ...normalizeRepo(repo_info) } : [],
  )
  if (repos.length === 0) return []
  return [makeStep(saveRepos, { org_id, repos, now }), makeStep(linkRepos, { org_id, links: repos })]
}

/** The repository that a report names, as it is stored. */
export function toReportedRepo(
  { repo_info, flow_name, trail_name }: ReportWithRepo,
  ids: Ids,
): ReportedRepo | null {
  return repo_info ? { flow_name, trail_name, repo_id: ids.next(), ...normalizeRepo(repo_info) } : null
}

/** Like `buildRepoSteps`, in a transaction. */
export async function saveReportedRepo(
  db: Db,
  org_id: string,
  report: ReportWithRepo,
  ids: Ids,
  now: Date,
): Promise<void> {
  if (!report.repo_info) return
  const repo = { ...report, repo_id: ids.next(), ...normalizeRepo(report.repo_info) }
  await db.run(saveRepos, { org_id, repos: [repo], now })
  await db.run(linkRepos, { org_id, links: [repo] })
}

function normalizeRepo(info: RepoInfo) {
  return {
    provider: info.provider ?? '',
    external_id: info.id,
    name: info.name,
    url: info.url,
    description: info.description ?? '',
    namespace_path: info.namespace_path ?? [],
    additional_info: info.additional_info ?? {},
  }
}

/** The host in the URL of the repository `r`, with its port. */
export const VCS_INSTANCE = "lower(coalesce(substring(r.url from '^[a-zA-Z]+://(?:[^/@]*@)?([^/?#]+)'), ''))"
/** The groups that contain the repository `r`. */
export const NAMESPACE = 'array(select jsonb_array_elements_text(r.namespace_path))'

const REPO = {
  ...NEW_REPO,
  vcs_instance: computed(text, VCS_INSTANCE),
  tags: json<Tags>(),
  created_at: time,
  last_modified_at: time,
}

const byName = defineStatement(
  'repos.by_name',
  { org_id: uuid, name: text, provider: nullable(text), limit: int },
  REPO,
  `select ${toSelectList('r', REPO)} from repos r
   where r.org_id = :org_id and r.name = :name and (:provider::text is null or r.provider = :provider)
   order by r.repo_id desc
   limit :limit::int`,
)

export type RepoRow = RowOf<typeof byName>

/** Newest first. There can be several, because names are not unique across hosts. */
export function findReposByName(db: Database, org_id: string, name: string, provider: string | null) {
  return db.read({ org_id }, byName, { org_id, name, provider, limit: MAX_SAME_NAME })
}

/** The newest repository with the name. */
export async function findRepoIdByName(db: Db, org_id: string, name: string): Promise<string | undefined> {
  return (await db.run(byName, { org_id, name, provider: null, limit: 1 }))[0]?.repo_id
}

const byId = defineStatement(
  'repos.by_id',
  { org_id: uuid, repo_id: uuid },
  REPO,
  `select ${toSelectList('r', REPO)} from repos r where r.org_id = :org_id and r.repo_id = :repo_id`,
)

export async function findRepo(db: Database, org_id: string, repo_id: string): Promise<RepoRow | undefined> {
  return (await db.read({ org_id }, byId, { org_id, repo_id }))[0]
}

const FILTER = {
  name: nullable(text),
  search: nullable(text),
  provider: nullable(text),
  external_id: nullable(text),
  vcs_instance: nullable(text),
  namespace: texts,
  tag_keys: texts,
  tag_pairs: json<readonly Tags[]>(),
}

export interface RepoFilter {
  name: string | null
  search: string | null
  provider: string | null
  external_id: string | null
  vcs_instance: string | null
  /** The groups that contain it, from the outermost; empty means any. */
  namespace: string[]
  tag_keys: string[]
  /** One object for each tag with a value. */
  tag_pairs: readonly Tags[]
}

export const HAS_TAGS = `r.tags ?& :tag_keys::text[]
  and not exists (select from jsonb_array_elements(:tag_pairs::jsonb) pair where not r.tags @> pair)`
const MATCHING = `
  r.org_id = :org_id
  and (:name::text is null or r.name = :name)
  and (:search::text is null or position(lower(:search) in lower(r.name)) > 0)
  and (:provider::text is null or r.provider = :provider)
  and (:external_id::text is null or r.external_id = :external_id)
  and (:vcs_instance::text is null or ${VCS_INSTANCE} = lower(:vcs_instance))
  and (${NAMESPACE})[1:cardinality(:namespace::text[])] = :namespace::text[]
  and ${HAS_TAGS}`

const countMatching = defineStatement(
  'repos.count',
  { org_id: uuid, ...FILTER },
  { total: count },
  `select count(*) as total from repos r where ${MATCHING}`,
)

const list = defineStatement(
  'repos.list',
  { org_id: uuid, ...FILTER, descending: bool, limit: nullable(int), offset: count },
  REPO,
  `select ${toSelectList('r', REPO)} from repos r
   where ${MATCHING}
   order by case when :descending::boolean then r.name end desc, r.name asc, r.repo_id
   limit :limit::int offset :offset::bigint`,
)

/** One page of repositories and the total, in one round trip. */
export async function listRepos(
  db: Db,
  org_id: string,
  filter: RepoFilter,
  order: Slice & { descending: boolean },
) {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter, ...order }),
    db.run(countMatching, { org_id, ...filter }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const lock = defineStatement(
  'repos.lock',
  { org_id: uuid, repo_id: uuid },
  { repo_id: uuid, name: text, tags: json<Tags>() },
  'select repo_id, name, tags from repos where org_id = :org_id and repo_id = :repo_id for update',
)

export async function lockRepo(db: Db, org_id: string, repo_id: string) {
  return (await db.run(lock, { org_id, repo_id }))[0]
}

const setTags = defineStatement(
  'repos.set_tags',
  { org_id: uuid, repo_id: uuid, tags: json<Tags>(), now: time },
  {},
  `update repos set tags = :tags::jsonb, last_modified_at = :now
   where org_id = :org_id and repo_id = :repo_id`,
)

export async function setRepoTags(
  db: Db,
  org_id: string,
  repo_id: string,
  tags: Tags,
  now: Date,
): Promise<void> {
  await db.run(setTags, { org_id, repo_id, tags, now })
}

const named = defineStatement(
  'repos.named',
  { org_id: uuid, names: texts },
  { name: text, repo_ids: uuids },
  `select wanted.name, array(
     select r.repo_id from repos r where r.org_id = :org_id and r.name = wanted.name) as repo_ids
   from unnest(:names::text[]) as wanted(name)`,
)

/** The ids of the repositories of each name, which need not be unique. An unknown name has none. */
export function listRepoIdsByName(db: Db, org_id: string, names: readonly string[]) {
  return db.run(named, { org_id, names: [...names] })
}
