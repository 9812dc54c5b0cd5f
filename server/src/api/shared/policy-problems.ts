// The error about a missing policy, in the wording that existing clients compare.
import { type AppError, notFound } from '../../lib/errors.ts'

export function noSuchPolicy(name: string, org: string): AppError {
  return notFound(`Policy '${name}' does not exist in organization '${org}'`)
}
