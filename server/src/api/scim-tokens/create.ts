// POST /scim-tokens/{org}: creates a token for SCIM provisioning by an identity provider.
import { recordEvent } from '../../events/record.ts'
import { badRequest, conflict } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { secretWasShown } from '../keys/problems.ts'
import { parseExpiry, toEpochOrZero } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { lockMembers } from '../shared/membership-store.ts'
import { toEpoch } from '../shared/wire.ts'
import * as store from './store.ts'
import { CreatedScimToken, ScimTokenPost, ScimTokensPath } from './wire.ts'

const MAX_TOKENS = 10

export const createScimToken = defineOperation(
  {
    id: 'createScimToken',
    method: 'POST',
    path: '/scim-tokens/{org}',
    tag: 'SCIM tokens',
    summary: 'Create a SCIM token',
    description:
      'For an identity provider that provisions users and groups at `/scim/v2/{org}`; it works for nothing else. ' +
      'The secret is only in this response: a retry with the same `Idempotency-Key` creates nothing and gets 409. ' +
      `An organization can have at most ${MAX_TOKENS} active tokens.`,
    access: 'admin',
    recheck_caller: true,
    audit: 'scim_token_created',
    params: ScimTokensPath,
    body: ScimTokenPost,
    returns: CreatedScimToken,
    creates: true,
    fails: [400, 403, 409, 422],
    example: { body: { description: 'Company directory', expires_at: 4_102_444_800 } },
  },
  (request, { db, ids, secrets, base_url }) => {
    const { body, org, caller, now } = request
    const { description } = body
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      // Locked, so concurrent requests cannot exceed the limit.
      const locked = await lockMembers(tx, org.org_id)
      const idempotency = buildIdempotencyClaim(request)
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) throw secretWasShown()
      const expires_at = parseExpiry(body.expires_at, now) ?? null
      if (locked?.kind === 'personal')
        throw badRequest(
          'SCIM tokens are not available in personal organizations, which have no members to provision',
        )
      if ((await store.countActiveTokens(tx, org.org_id, now)) >= MAX_TOKENS) {
        throw conflict(
          `The organization already has ${MAX_TOKENS} active SCIM tokens, the maximum; revoke one first`,
        )
      }
      const { key: token, secret_hash, hint } = secrets.createToken('scim')
      const row = {
        token_id: ids.next(),
        secret_hash,
        hint,
        description,
        created_by: caller.name,
        expires_at,
      }
      await store.insertToken(tx, org.org_id, { ...row, now })
      const data = {
        token_id: toWireId(row.token_id),
        hint,
        description,
        expires_at: toEpochOrZero(expires_at),
      }
      await recordEvent(tx, request, ids, { kind: 'scim_token_created', data })
      return new Answer(201, {
        id: toWireId(row.token_id),
        token,
        address: `${base_url}/scim/v2/${encodeURIComponent(org.name)}`,
        description,
        created_by: caller.name,
        created_at: toEpoch(now),
        expires_at: toEpochOrZero(expires_at),
        hint,
      })
    })
  },
)
