// What is said about keys that are not there, secrets that are shown once, and rotations that fail.
import { translateDatabaseFault } from '../../db/violations.ts'
import { AppError, conflict, notFound } from '../../lib/errors.ts'

/** Also of one that was revoked, has expired or, where it is to be rotated, was rotated already. */
export const noSuchKey = (): AppError => notFound('API key not found')

export const secretWasShown = (): AppError =>
  conflict(
    'The request with this Idempotency-Key was answered already; the secret is shown once. ' +
      'If it is lost, revoke the key and create another',
  )

/**
 * A fault of the database, told with what it means for the two keys. An answer that got lost on the way back from the
 * database may hide a rotation that was done, so that nothing more can be promised than that it is done whole.
 */
export function rotationFailed(error: unknown): unknown {
  const answer = error instanceof AppError ? undefined : translateDatabaseFault(error)
  if (!answer) return error
  const meaning =
    'A rotation is done whole or not at all: unless the list shows a new key, nothing has changed'
  const failed = new AppError(answer.status, `${answer.message}. ${meaning}`, answer.errors, answer.headers)
  failed.cause = error
  return failed
}
