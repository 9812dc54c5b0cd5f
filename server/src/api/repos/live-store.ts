// The statement that finds the running artifacts of a repository.
import type { Database } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
} from '../../db/statement.ts'

const MAX_ARTIFACTS = 10_000

const live = defineStatement(
  'repos.live_artifacts',
  { org_id: uuid, repo_id: uuid, limit: int },
  {
    environment_id: uuid,
    environment_name: text,
    environment_type: text,
    artifact_id: uuid,
    artifact_name: text,
    flow_name: text,
    fingerprint: text,
    git_commit: nullable(text),
    commit_url: nullable(text),
    snapshot_index: int,
    compliant: nullable(bool),
    started_at: time,
  },
  `select e.environment_id, e.name as environment_name, e.type as environment_type, a.artifact_id,
     r.name as artifact_name, a.flow_name, r.fingerprint, a.git_commit, a.commit_url, start.snapshot_index, r.compliant,
     start.deployed_at as started_at
   from running_artifacts r
   join environments e on e.org_id = r.org_id and e.environment_id = r.environment_id and e.archived_at is null
   cross join lateral (
     select x.artifact_id, x.git_commit, x.report ->> 'commit_url' as commit_url, f.name as flow_name
     from artifacts x join flows f on f.org_id = x.org_id and f.flow_id = x.flow_id
     where x.org_id = :org_id and x.fingerprint = r.fingerprint and x.repo_id = :repo_id and f.archived_at is null
     order by x.artifact_id desc limit 1
   ) a
   cross join lateral (
     select d.snapshot_index, d.deployed_at from deployments d
     where d.org_id = :org_id and d.fingerprint = r.fingerprint and d.environment_id = r.environment_id
     order by d.deployed_at desc, d.snapshot_index desc limit 1
   ) start
   where r.org_id = :org_id and :repo_id = any (r.repo_ids)
   order by e.name, r.name, r.fingerprint
   limit :limit::int`,
  readsWholeOrg('no index on the array of repositories works under row-level security'),
)

export type LiveRow = RowOf<typeof live>

/** Sorted by environment and name. */
export function listLiveArtifacts(
  db: Database,
  org_id: string,
  repo_id: string,
): Promise<readonly LiveRow[]> {
  return db.read({ org_id }, live, { org_id, repo_id, limit: MAX_ARTIFACTS })
}
