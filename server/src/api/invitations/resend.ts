// POST /invitations/{org}/{invitation_id}/resend: another mail with another token; the one before is void.
import { record } from '../../events/record.ts'
import { operation } from '../operation.ts'
import { idempotencyOf, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { takeInvitation } from '../shared/sending-limits.ts'
import { expiryOf, invitationMail } from './mail.ts'
import { holdInvitation } from './problems.ts'
import { renewInvitation } from './store.ts'
import { Invitation, InvitationPath, toWire } from './wire.ts'

export const resendInvitation = operation(
  {
    id: 'resendInvitation',
    method: 'POST',
    path: '/invitations/{org}/{invitation_id}/resend',
    tag: 'Invitations',
    summary: 'Send an invitation again',
    description: 'The link is a new one, good for another seven days. Earlier links do not work any more.',
    access: 'admin',
    audit: 'invitation_resent',
    params: InvitationPath,
    returns: Invitation,
    fails: [403, 404, 422],
  },
  async (request, { db, ids, secrets, mailer, base_url }) => {
    const { params, org, caller, now } = request
    const { org_id } = org
    const named = idempotencyOf(request)
    return db.inTransaction({ org_id }, async tx => {
      const row = await holdInvitation(tx, org_id, params)
      const answered_sha256 = await claimKey(tx, org_id, named, now)
      refuseOtherContent(answered_sha256, named.request_sha256)
      if (answered_sha256 !== null) return toWire(row, now)
      const { invitation_id, email, role } = row
      const { key: token, secret_hash: token_hash } = secrets.newApiKey('inv')
      await takeInvitation(tx, request, email)
      const expires_at = expiryOf(now)
      await renewInvitation(tx, org_id, { invitation_id, token_hash, now, expires_at })
      const told = { email, role, org: org.name, invited_by: caller.name, token, expires_at }
      await mailer.queue(tx, org_id, now, invitationMail(base_url, told))
      await record(tx, request, ids, { kind: 'invitation_resent', data: { email, role } })
      return toWire({ ...row, sent_at: now, expires_at }, now)
    })
  },
)
