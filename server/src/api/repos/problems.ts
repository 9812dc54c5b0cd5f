// What can be wrong with a repository, in the words existing clients compare.
import { type AppError, badRequest, notFound } from '../../lib/errors.ts'

/** `wanted` is the name or the id that was asked for. */
export function noSuchRepo(nameOrId: string): AppError {
  return notFound(`Repo '${nameOrId}' not found`)
}

export function severalRepos(repo_name: string, providers: readonly string[]): AppError {
  const listed = providers.map(provider => provider || 'no provider').join(', ')
  return badRequest(
    `Multiple repos named '${repo_name}' exist (${listed}). Specify the 'provider' or the 'id' to choose one.`,
  )
}
