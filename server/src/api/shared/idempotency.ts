// Requests that name themselves: a retry under the same name is answered like the first and stores nothing; the same name
// for another request is a mistake.
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

/** What a stored item carries of it. */
export function buildIdempotencyClaim(request: IdempotentRequest) {
  const { caller, idempotency_key } = request
  return {
    caller_id: caller.id,
    idempotency_key: idempotency_key ?? null,
    request_sha256: idempotency_key === undefined ? null : hashSha256(serializeRequest(request)),
  }
}

/** Another operation, address, body or file is another request: two operations may well take the same body. */
function serializeRequest({ operation_id, params, body, files = {} }: IdempotentRequest): string {
  const sent = Object.entries(files).flatMap(([name, bytes]) => (bytes ? [[name, hashSha256(bytes)]] : []))
  return JSON.stringify([operation_id, params, body, sent.sort()])
}

function hashSha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** `answered_sha256` is the content that was answered under the name before; null when the name is new. */
export function refuseOtherContent(answered_sha256: string | null, request_sha256: string | null): void {
  if (answered_sha256 === null || answered_sha256 === request_sha256) return
  throw unprocessable('The Idempotency-Key was used for another request already')
}
