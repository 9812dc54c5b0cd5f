// POST /invitations/{org}/{invitation_id}/resend: sends another mail with a new token and voids the previous one.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { checkInvitationLimit } from '../shared/sending-limits.ts'
import { buildInvitationMail, computeExpiry } from './mail.ts'
import { requireLockedInvitation } from './problems.ts'
import { renewInvitation } from './store.ts'
import { Invitation, InvitationPath, toWire } from './wire.ts'

export const resendInvitation = defineOperation(
  {
    id: 'resendInvitation',
    method: 'POST',
    path: '/invitations/{org}/{invitation_id}/resend',
    tag: 'Invitations',
    summary: 'Send an invitation again',
    description: 'Sends a new link that is valid for another seven days. Earlier links stop working.',
    access: 'admin',
    recheck_caller: true,
    audit: 'invitation_resent',
    params: InvitationPath,
    returns: Invitation,
    fails: [403, 404, 422],
  },
  async (request, { db, ids, secrets, mailer, base_url }) => {
    const { params, org, caller, now } = request
    const { org_id } = org
    const idempotency = buildIdempotencyClaim(request)
    return db.withTransaction({ org_id }, async tx => {
      const row = await requireLockedInvitation(tx, org_id, params)
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) return toWire(row, now)
      const { invitation_id, email, role } = row
      const { key: token, secret_hash: token_hash } = secrets.createToken('inv')
      await checkInvitationLimit(tx, request, email)
      const expires_at = computeExpiry(now)
      await renewInvitation(tx, org_id, { invitation_id, token_hash, now, expires_at })
      const invited_by = caller.name
      const invitation = { invitation_id, email, role, org: org.name, invited_by, token, expires_at }
      await mailer.queue(tx, org_id, now, buildInvitationMail(base_url, invitation))
      await recordEvent(tx, request, ids, {
        kind: 'invitation_resent',
        data: { email, role },
        row_ids: { invitation: invitation_id },
      })
      return toWire({ ...row, sent_at: now, expires_at, mail: null }, now)
    })
  },
)
