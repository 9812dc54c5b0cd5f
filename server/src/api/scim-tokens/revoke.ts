// DELETE /scim-tokens/{org}/{token_id}: revokes a token. The people it provisioned stay.
import { recordEvent } from '../../events/record.ts'
import { notFound } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { REVOKED, Revoked } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { revokeToken } from './store.ts'
import { ScimTokenPath } from './wire.ts'

export const revokeScimToken = defineOperation(
  {
    id: 'revokeScimToken',
    method: 'DELETE',
    path: '/scim-tokens/{org}/{token_id}',
    tag: 'SCIM tokens',
    summary: 'Revoke a SCIM token',
    description: 'Takes effect immediately. Provisioned users and groups stay.',
    access: 'admin',
    recheck_caller: true,
    audit: 'scim_token_revoked',
    params: ScimTokenPath,
    returns: Revoked,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, caller, now } = request
    const token_id = parseWireId(params.token_id)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const revoked =
        token_id && (await revokeToken(tx, org.org_id, { token_id, revoked_by: caller.name, now }))
      if (!token_id || !revoked) throw notFound('SCIM token not found')
      const data = { token_id: toWireId(token_id), ...revoked }
      await recordEvent(tx, request, ids, { kind: 'scim_token_revoked', data })
      return REVOKED
    })
  },
)
