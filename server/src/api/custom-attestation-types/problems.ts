// Errors about custom attestation types. Existing clients compare these sentences.
import { type AppError, notFound } from '../../lib/errors.ts'

export function noSuchType(name: string, org: string): AppError {
  return notFound(`Custom attestation type '${name}' does not exist for org '${org}'`)
}

export function archivedType(name: string, org: string): AppError {
  return notFound(`Custom attestation type '${name}' is archived for org '${org}'`)
}

export function noSuchVersion(version: number, name: string): AppError {
  return notFound(`version ${version} does not exist for custom attestation type '${name}'`)
}
