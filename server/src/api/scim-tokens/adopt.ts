// PUT /scim-tokens/{org}/{token_id}/adopt: makes the caller answer for a token, which then works again.
import { pickEarlier } from '../../domain/api-key.ts'
import { recordEvent } from '../../events/record.ts'
import { notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { limitExpiry } from '../keys/key-ring.ts'
import { toExpiry } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { limitAddresses, refuseLimitedKey, toOwner } from './owner.ts'
import { adoptToken, lockActiveToken } from './store.ts'
import { ScimToken, ScimTokenPath, toWire } from './wire.ts'

export const adoptScimToken = defineOperation(
  {
    id: 'adoptScimToken',
    method: 'PUT',
    path: '/scim-tokens/{org}/{token_id}/adopt',
    tag: 'SCIM tokens',
    summary: 'Adopt a SCIM token',
    description:
      'The caller becomes its owner: a token whose owner is no longer an admin works again. The secret stays the same, so ' +
      'create another token instead if the previous owner may have kept it. The token expires no later than the key that ' +
      'adopts it, may be used from no other addresses, and lives no longer than the organization allows.',
    access: 'admin',
    recheck_caller: true,
    audit: 'scim_token_adopted',
    params: ScimTokenPath,
    returns: ScimToken,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, caller, now } = request
    refuseLimitedKey(caller)
    const token_id = parseWireId(params.token_id)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const before = token_id && (await lockActiveToken(tx, org.org_id, { token_id, now }))
      if (!before) throw notFound('SCIM token not found')
      const max_lifetime_days = org.settings.max_key_lifetime_days ?? null
      const after = {
        token_id: before.token_id,
        ...toOwner(caller),
        expires_at: pickEarlier(before.expires_at, limitExpiry(null, { now, caller, max_lifetime_days }, 0)),
        allowed_addresses: limitAddresses(before.allowed_addresses, caller),
      }
      await adoptToken(tx, org.org_id, after)
      const { hint, description, owner_name: previous_owner } = before
      const expires_at = toExpiry(after.expires_at)
      const data = { token_id: params.token_id, hint, description, previous_owner, expires_at }
      await recordEvent(tx, request, ids, { kind: 'scim_token_adopted', data })
      // The caller is an admin: the guard of this transaction has just read it.
      return { ...toWire({ ...before, ...after }), is_in_force: true }
    })
  },
)
