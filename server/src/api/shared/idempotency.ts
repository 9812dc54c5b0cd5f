// Idempotency keys: a retry with the same key gets the first response and stores nothing. Reusing the key for a
// different request is an error.
import { createHash } from 'node:crypto'
import { unprocessable } from '../../lib/errors.ts'

interface IdempotentRequest {
  operation_id: string
  params: unknown
  body: unknown
  files?: Readonly<Record<string, Buffer | undefined>>
  caller: { id: string }
  idempotency_key: string | undefined
}

/** The part of a request that is stored with its idempotency key. */
export function buildIdempotencyClaim(request: IdempotentRequest) {
  const { caller, idempotency_key } = request
  return {
    caller_id: caller.id,
    idempotency_key: idempotency_key ?? null,
    request_sha256: idempotency_key === undefined ? null : hashSha256(serializeRequest(request)),
  }
}

/** The operation is part of it because two operations may accept the same path and body. */
function serializeRequest({ operation_id, params, body, files = {} }: IdempotentRequest): string {
  const sent = Object.entries(files).flatMap(([name, bytes]) => (bytes ? [[name, hashSha256(bytes)]] : []))
  return JSON.stringify([operation_id, params, body, sent.sort()])
}

function hashSha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** `answered_sha256` is the hash of the earlier request with this key; null if the key is new. */
export function refuseOtherContent(answered_sha256: string | null, request_sha256: string | null): void {
  if (answered_sha256 === null || answered_sha256 === request_sha256) return
  throw unprocessable(
    'This Idempotency-Key was already used for a different request. Use a new key for each request.',
  )
}
