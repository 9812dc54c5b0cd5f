// The errors of policy operations, in the wording that existing clients compare.
import { type AppError, conflict, notFound } from '../../lib/errors.ts'

export function noSuchVersion(version: number, name: string): AppError {
  return notFound(`Version ${version} does not exist for policy '${name}'`)
}

export function stillConsumed(name: string, environments: readonly string[]): AppError {
  const names = environments.map(environment => `'${environment}'`).join(', ')
  return conflict(`Policy '${name}' is attached to ${names}; detach it first`)
}
