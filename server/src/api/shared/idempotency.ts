// Requests that name themselves: a retry under the same name is answered like the first and stores nothing; the same name
// for another request is a mistake.
import { createHash } from 'node:crypto'
import { unprocessable } from '../../lib/errors.ts'

interface NamedRequest {
  params: unknown
  body: unknown
  caller: { id: string }
  idempotency_key: string | undefined
}

/** What a stored item carries of it. */
export function idempotencyOf({ params, body, caller, idempotency_key }: NamedRequest) {
  const content = JSON.stringify([params, body])
  return {
    caller_id: caller.id,
    idempotency_key: idempotency_key ?? null,
    request_sha256: idempotency_key === undefined ? null : createHash('sha256').update(content).digest('hex'),
  }
}

/** `answered_sha256` is the content that was answered under the name before; null when the name is new. */
export function refuseOtherContent(answered_sha256: string | null, request_sha256: string | null): void {
  if (answered_sha256 === null || answered_sha256 === request_sha256) return
  throw unprocessable('The Idempotency-Key was used for another request already')
}
