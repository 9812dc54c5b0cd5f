// Resolves the names of repositories in a filter.
import type { Db } from '../../db/database.ts'
import { defineStatement, text, texts, uuid, uuids } from '../../db/statement.ts'
import { noSuchRepo } from '../repos/problems.ts'

const named = defineStatement(
  'shared.repos_named',
  { org_id: uuid, names: texts },
  { name: text, repo_ids: uuids },
  `select wanted.name, array(
     select r.repo_id from repos r where r.org_id = :org_id and r.name = wanted.name) as repo_ids
   from unnest(:names::text[]) as wanted(name)`,
)

/** The ids of all repositories with these names, which need not be unique. Throws a 404 for an unknown name. */
export async function requireRepoIds(db: Db, org_id: string, names: readonly string[]): Promise<string[]> {
  const found = await db.run(named, { org_id, names: [...names] })
  const missing = found.find(({ repo_ids }) => repo_ids.length === 0)
  if (missing) throw noSuchRepo(missing.name)
  return found.flatMap(({ repo_ids }) => repo_ids)
}
