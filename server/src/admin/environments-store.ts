// The SQL that checks stored environments for consistency. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, readsWholeDatabase, text, uuid } from '../db/statement.ts'

const misnumbered = defineStatement(
  'check.misnumbered_snapshots',
  {},
  { environment: text },
  `select o.name || '/' || e.name as environment
   from environments e
   join orgs o on o.org_id = e.org_id
   cross join lateral (
     select count(*) as counted, coalesce(max(s.snapshot_index), 0) as latest
     from snapshots s where s.org_id = e.org_id and s.environment_id = e.environment_id
   ) stored
   where e.latest_index <> stored.counted or e.latest_index <> stored.latest
   order by 1`,
  readsWholeDatabase('an operator checks every snapshot'),
)

/** Environments whose snapshots are not numbered from 1 to the latest. */
export async function findMisnumbered(db: Db): Promise<string[]> {
  return (await db.run(misnumbered, {})).map(({ environment }) => environment)
}

const mismatches = defineStatement(
  'check.interval_mismatches',
  {},
  { found: text },
  `select o.name || '/' || e.name || ': ' || d.artifact_key as found
   from (
     (select r.org_id, r.environment_id, r.artifact_key from runs r where r.to_index is null
      except select w.org_id, w.environment_id, w.artifact_key from running_artifacts w)
     union
     (select w.org_id, w.environment_id, w.artifact_key from running_artifacts w
      except select r.org_id, r.environment_id, r.artifact_key from runs r where r.to_index is null)
     union
     (select w.org_id, w.environment_id, w.artifact_key from running_artifacts w
      where not exists (
        select from verdicts v
        where v.org_id = w.org_id and v.environment_id = w.environment_id and v.artifact_key = w.artifact_key
          and v.to_index is null and v.compliant is not distinct from w.compliant))
   ) d
   join environments e on e.org_id = d.org_id and e.environment_id = d.environment_id
   join orgs o on o.org_id = e.org_id
   order by 1`,
  readsWholeDatabase('an operator checks every interval'),
)

/** Running artifacts that lack an open interval or a verdict, and open intervals without a running artifact. */
export async function findIntervalMismatches(db: Db): Promise<string[]> {
  return (await db.run(mismatches, {})).map(({ found }) => found)
}

const settled = defineStatement(
  'check.settled_environments',
  {},
  { org_id: uuid, environment_id: uuid, name: text },
  `select e.org_id, e.environment_id, o.name || '/' || e.name as name
   from environments e join orgs o on o.org_id = e.org_id
   where e.latest_index > 0 and e.type <> 'logical' and e.archived_at is null and not exists (
     select from pending_judgements p where p.org_id = e.org_id and p.environment_id = e.environment_id)
   order by 3`,
)

/** Environments without pending evaluations. */
export function listSettledEnvironments(db: Db) {
  return db.run(settled, {})
}
