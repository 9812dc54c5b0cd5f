// DELETE /badge-tokens/{org}/{badge_id}: revokes a badge. Its URL then responds as if the badge had never existed.
import { recordEvent } from '../../events/record.ts'
import { notFound } from '../../lib/errors.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { REVOKED, Revoked } from '../keys/wire.ts'
import { defineOperation } from '../operation.ts'
import { nameEventSubject } from './event-subject.ts'
import * as store from './store.ts'
import { BadgePath } from './wire.ts'

export const revokeBadge = defineOperation(
  {
    id: 'revokeBadge',
    method: 'DELETE',
    path: '/badge-tokens/{org}/{badge_id}',
    tag: 'Badges',
    summary: 'Revoke a badge',
    description:
      'Takes effect immediately. A browser or proxy may show a picture that it kept for another minute.',
    access: 'admin',
    recheck_caller: true,
    audit: 'badge_revoked',
    params: BadgePath,
    returns: Revoked,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, caller, now } = request
    const badge_id = parseWireId(params.badge_id)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const revoked =
        badge_id && (await store.revokeBadge(tx, org.org_id, { badge_id, revoked_by: caller.name, now }))
      if (!badge_id || !revoked) throw notFound('Badge not found')
      const data = { badge_id: toWireId(badge_id), hint: revoked.hint }
      await recordEvent(tx, request, ids, { kind: 'badge_revoked', ...nameEventSubject(revoked), data })
      return REVOKED
    })
  },
)
