// GET /repos/{org}/{repo_name+}: one repository, by its full name with slashes or by its id.
import type { Database } from '../../db/database.ts'
import { parseWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { noSuchRepo, severalRepos } from './problems.ts'
import * as store from './store.ts'
import { Repo, RepoPath, RepoQuery, toWire } from './wire.ts'

export const getRepo = defineOperation(
  {
    id: 'getRepo',
    method: 'GET',
    path: '/repos/{org}/{repo_name+}',
    tag: 'Repos',
    summary: 'Get a repository',
    description:
      'Several repositories may have the same name: use `provider` to select the host, or `id` to select one. With ' +
      '`provider`, the newest one of that host is returned.',
    access: 'reader',
    audit: 'none: reads',
    params: RepoPath,
    query: RepoQuery,
    returns: Repo,
    fails: [400, 403, 404],
    example: { params: { repo_name: 'acme/backend' }, query: { provider: 'github' } },
  },
  async ({ params, query, org }, { db }) => toWire(await requireRepo(db, org.org_id, params, query)),
)

/** Finds a repository by path and query. Throws a 404 if there is none, and a 400 if there are several. */
export async function requireRepo(
  db: Database,
  org_id: string,
  { repo_name }: { repo_name: string },
  { id, provider }: { id?: string; provider?: string },
): Promise<store.RepoRow> {
  const repo =
    id === undefined
      ? await findRepoByName(db, org_id, repo_name, provider ?? null)
      : await findRepoById(db, org_id, id)
  if (!repo) throw noSuchRepo(id ?? repo_name)
  return repo
}

async function findRepoByName(db: Database, org_id: string, repo_name: string, provider: string | null) {
  const found = await store.findReposByName(db, org_id, repo_name, provider)
  if (found.length > 1 && provider === null) {
    throw severalRepos(repo_name, [...new Set(found.map(repo => repo.provider))].sort())
  }
  return found[0]
}

async function findRepoById(db: Database, org_id: string, wire_id: string) {
  const repo_id = parseWireId(wire_id)
  return repo_id === undefined ? undefined : store.findRepo(db, org_id, repo_id)
}
