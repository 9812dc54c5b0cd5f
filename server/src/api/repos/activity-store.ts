// The statements for the details in the list of repositories: the newest trail, and what runs where.
import type { Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'

const newest = defineStatement(
  'repos.newest_trails',
  { org_id: uuid, repo_ids: uuids },
  { repo_id: uuid, flow_name: text, trail_name: text, compliance_state: text, last_modified_at: time },
  `select wanted.repo_id, t.flow_name, t.trail_name, t.compliance_state, t.last_modified_at
   from unnest(:repo_ids::uuid[]) as wanted (repo_id)
   cross join lateral (
     select f.name as flow_name, x.name as trail_name, x.compliance_state, x.last_modified_at
     from trail_repos l
     join trails x on x.org_id = :org_id and x.trail_id = l.trail_id
     join flows f on f.org_id = :org_id and f.flow_id = x.flow_id
     where l.org_id = :org_id and l.repo_id = wanted.repo_id
     order by l.trail_id desc limit 1
   ) t`,
)

// Logical environments only show what runs in others.
const running = defineStatement(
  'repos.running',
  { org_id: uuid, repo_ids: uuids, now: time },
  {
    repo_id: uuid,
    environments: count,
    compliant: count,
    non_compliant: count,
    unknown: count,
    stale: count,
  },
  `select wanted.repo_id, count(distinct r.environment_id) as environments,
     count(*) filter (where r.compliant and not r.is_stale) as compliant,
     count(*) filter (where r.compliant is false) as non_compliant,
     count(*) filter (where r.compliant is null and not r.is_stale) as unknown,
     count(*) filter (where r.compliant is not false and r.is_stale) as stale
   from (
     select x.environment_id, x.compliant, x.repo_ids, coalesce(e.stale_at <= :now, false) as is_stale
     from running_artifacts x
     join environments e on e.org_id = :org_id and e.environment_id = x.environment_id
     where x.org_id = :org_id and e.archived_at is null and e.type <> 'logical' and x.repo_ids && :repo_ids::uuid[]
   ) r
   join unnest(:repo_ids::uuid[]) as wanted (repo_id) on wanted.repo_id = any (r.repo_ids)
   group by wanted.repo_id`,
  readsWholeOrg('no index on the array of repositories works under row-level security'),
)

export interface RepoActivity {
  trail?: RowOf<typeof newest>
  running?: RowOf<typeof running>
}

/** By the id of the repository, in one round trip. */
export async function findActivity(
  db: Db,
  org_id: string,
  { repo_ids, now }: { repo_ids: string[]; now: Date },
): Promise<Map<string, RepoActivity>> {
  const [trails, runs] = await Promise.all([
    db.run(newest, { org_id, repo_ids }),
    db.run(running, { org_id, repo_ids, now }),
  ])
  const activity = new Map<string, RepoActivity>()
  for (const trail of trails) activity.set(trail.repo_id, { trail })
  for (const run of runs) activity.set(run.repo_id, { ...activity.get(run.repo_id), running: run })
  return activity
}
