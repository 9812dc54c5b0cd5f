// Repeated attestations with an idempotency key: an accepted request keeps its response, whatever has changed since.
import { identifyFiles } from '../../domain/evidence/files.ts'
import { AppError } from '../../lib/errors.ts'
import type { AttachedFile, Caller, CallerOrg, Deps } from '../operation.ts'
import { omitCollected } from '../shared/collected.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey, findSavedAnswer, type IdempotencyClaim } from '../shared/idempotency-store.ts'
import type { CommonBody } from './bodies.ts'

export interface RepeatableRequest {
  params: unknown
  body: CommonBody
  caller: Caller
  org: CallerOrg
  now: Date
  operation_id: string
  idempotency_key: string | undefined
  attachments: readonly AttachedFile[]
}

/** The evidence is part of the request: with another file it is not a repeat. */
export function buildAttestationClaim(request: RepeatableRequest): IdempotencyClaim {
  const files = request.attachments.map(({ file }) => file)
  return buildIdempotencyClaim({ ...request, body: [omitCollected(request.body), identifyFiles(files)] })
}

/**
 * Runs `store`, which returns the id of the attestation. If `store` rejects a request that was accepted before,
 * because a time has passed or a type was archived, returns the id stored then. Looked up only after a rejection, so
 * that other reports wait for the database once. Callers who may no longer report are still rejected.
 */
export async function withFirstAnswer<T>(
  request: RepeatableRequest,
  { db }: Pick<Deps, 'db'>,
  store: () => Promise<T>,
): Promise<T | string | null> {
  try {
    return await store()
  } catch (refusal) {
    const claim = buildAttestationClaim(request)
    if (!(refusal instanceof AppError) || refusal.status === 403 || claim.idempotency_key === null)
      throw refusal
    const { org_id } = request.org
    return db.withTransaction({ org_id }, async tx => {
      // Waits if the first request is still being stored.
      const answered_sha256 = await claimKey(tx, org_id, claim, request.now)
      // Throwing rolls back the key that was just claimed.
      if (answered_sha256 === null) throw refusal
      refuseOtherContent(answered_sha256, claim.request_sha256)
      const saved = await findSavedAnswer<{ id?: string }>(tx, org_id, claim)
      if (saved?.id === undefined) throw refusal
      return saved.id
    })
  }
}
