// The errors of repository operations, in the wording that existing clients compare.
import { type AppError, badRequest, notFound } from '../../lib/errors.ts'

export function noSuchRepo(nameOrId: string): AppError {
  return notFound(`Repo '${nameOrId}' not found`)
}

export function severalRepos(repo_name: string, providers: readonly string[]): AppError {
  const listed = providers.map(provider => provider || 'no provider').join(', ')
  return badRequest(
    `Multiple repos named '${repo_name}' exist (${listed}). Specify the 'provider' or the 'id' to choose one.`,
  )
}
