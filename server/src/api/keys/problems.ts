// Errors about missing keys, secrets that are shown only once, and failed rotations.
import { translateDatabaseFault } from '../../db/violations.ts'
import { AppError, conflict, notFound } from '../../lib/errors.ts'

/** Also for keys that were revoked or have expired. */
export const noSuchKey = (): AppError => notFound('API key not found')

/** The old key still works, so the client must not take it for unknown. */
export const alreadyRotated = (new_id: string): AppError =>
  conflict(
    `The API key was already rotated: key '${new_id}' replaces it. Rotate that one, or revoke it and create ` +
      'another if its secret is lost',
  )

export const secretWasShown = (): AppError =>
  conflict(
    'A request with this Idempotency-Key was already answered; the secret is shown only once. ' +
      'If it is lost, revoke the key and create another',
  )

/**
 * Adds to a database fault what it means for the two keys. If the database's response was lost, the rotation may
 * have been committed, so the message can only promise that it is atomic.
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
