// POST /scim-tokens/{org}: creates a token for SCIM provisioning by an identity provider.
import { recordEvent } from '../../events/record.ts'
import { badRequest, conflict } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { limitExpiry } from '../keys/key-ring.ts'
import { secretWasShown } from '../keys/problems.ts'
import { parseExpiry, toExpiry } from '../keys/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { checkAddresses } from '../shared/allowed-addresses.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { lockMembers } from '../shared/membership-store.ts'
import { toEpoch } from '../shared/wire.ts'
import { limitAddresses, refuseLimitedKey, toOwner } from './owner.ts'
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
      'The caller answers for it: it works only while they are an admin. It expires no later than the key that creates ' +
      'it, may be used from no other addresses, and lives no longer than the organization allows. ' +
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
    refuseLimitedKey(caller)
    const addresses = checkAddresses(body.allowed_addresses, 'allowed_addresses')
    const allowed_addresses = limitAddresses(addresses, caller)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      // Locked, so concurrent requests cannot exceed the limit.
      const locked = await lockMembers(tx, org.org_id)
      const idempotency = buildIdempotencyClaim(request)
      const answered_sha256 = await claimKey(tx, org.org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) throw secretWasShown()
      const expires_at = limitExpiry(
        parseExpiry(body.expires_at, now) ?? null,
        { now, caller, max_lifetime_days: org.settings.max_key_lifetime_days ?? null },
        body.expires_at,
      )
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
        allowed_addresses,
        ...toOwner(caller),
      }
      await store.insertToken(tx, org.org_id, { ...row, now })
      const data = {
        token_id: toWireId(row.token_id),
        hint,
        description,
        expires_at: toExpiry(expires_at),
      }
      await recordEvent(tx, request, ids, { kind: 'scim_token_created', data })
      return new Answer(201, {
        id: toWireId(row.token_id),
        token,
        address: `${base_url}/scim/v2/${encodeURIComponent(org.name)}`,
        description,
        created_by: caller.name,
        created_at: toEpoch(now),
        expires_at: toExpiry(expires_at),
        hint,
        owner: row.owner_name,
        allowed_addresses: allowed_addresses ?? [],
      })
    })
  },
)
