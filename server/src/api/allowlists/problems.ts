// Errors about allow-list entries. Existing clients compare these sentences.
import { type AppError, invalid, notFound } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'

export function notAllowListed(fingerprint: string, environment: string): AppError {
  return notFound(
    `Artifact with fingerprint '${fingerprint}' is not allow-listed in environment '${environment}'`,
  )
}

export function logicalHasNone(environment: string): AppError {
  const sentence = 'A logical environment has no allow-list of its own; use an environment that it includes'
  return invalid({ env_name: `${sentence} [input: ${formatInput(environment)}]` })
}
