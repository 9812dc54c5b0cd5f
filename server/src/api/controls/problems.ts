// Errors about controls. Existing clients compare these sentences.
import { type AppError, badRequest, conflict, notFound } from '../../lib/errors.ts'

export function noSuchControl(identifier: string, org: string): AppError {
  return notFound(`Control '${identifier}' does not exist in org '${org}'`)
}

/** Existing clients expect this sentence in quotes. */
export function noSuchControlToTag(identifier: string, org: string): AppError {
  return notFound(`"Control '${identifier}' does not exist in organization '${org}'"`)
}

/** Existing clients retry after a 409, unless the message is this sentence. */
export function controlExists(identifier: string, org: string): AppError {
  return conflict(`A control with identifier '${identifier}' already exists in organization '${org}'`)
}

/** Not 409, because existing clients would retry and never show the message. */
export function controlIsArchived(identifier: string): AppError {
  return badRequest(`Control '${identifier}' is archived; unarchive it to edit it`)
}

export function noSuchVersion(version: number, identifier: string): AppError {
  return notFound(`Version ${version} does not exist for control '${identifier}'`)
}

export function noSuchDecision(decision_id: string, identifier: string): AppError {
  return notFound(`Decision '${decision_id}' does not exist for control '${identifier}'`)
}
