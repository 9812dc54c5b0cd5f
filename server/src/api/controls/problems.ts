// What can be wrong with a control, in the words existing clients compare.
import { type AppError, badRequest, conflict, notFound } from '../../lib/errors.ts'

export function noSuchControl(identifier: string, org: string): AppError {
  return notFound(`Control '${identifier}' does not exist in org '${org}'`)
}

/** Existing clients know this one sentence with quotes around it. */
export function noSuchControlToTag(identifier: string, org: string): AppError {
  return notFound(`"Control '${identifier}' does not exist in organization '${org}'"`)
}

/** Existing clients try a request again that is answered with 409, unless the answer has this sentence. */
export function controlExists(identifier: string, org: string): AppError {
  return conflict(`A control with identifier '${identifier}' already exists in organization '${org}'`)
}

/** Not 409, because existing clients would try again and never show the sentence. */
export function controlIsArchived(identifier: string): AppError {
  return badRequest(`Control '${identifier}' is archived; unarchive it to edit it`)
}

export function noSuchVersion(version: number, identifier: string): AppError {
  return notFound(`Version ${version} does not exist for control '${identifier}'`)
}

export function noSuchDecision(decision_id: string, identifier: string): AppError {
  return notFound(`Decision '${decision_id}' does not exist for control '${identifier}'`)
}
