// The errors of repository operations, in the wording that existing clients compare.
import type { Db } from '../../db/database.ts'
import { type AppError, badRequest, notFound } from '../../lib/errors.ts'
import { listRepoIdsByName } from './store.ts'

export function noSuchRepo(nameOrId: string): AppError {
  return notFound(`Repo '${nameOrId}' not found`)
}

export function severalRepos(repo_name: string, providers: readonly string[]): AppError {
  const listed = providers.map(provider => provider || 'no provider').join(', ')
  return badRequest(
    `Multiple repos named '${repo_name}' exist (${listed}). Specify the 'provider' or the 'id' to choose one.`,
  )
}

/** The ids of all repositories with these names. Throws a 404 for an unknown name. */
export async function requireRepoIds(db: Db, org_id: string, names: readonly string[]): Promise<string[]> {
  const found = await listRepoIdsByName(db, org_id, names)
  const missing = found.find(({ repo_ids }) => repo_ids.length === 0)
  if (missing) throw noSuchRepo(missing.name)
  return found.flatMap(({ repo_ids }) => repo_ids)
}
