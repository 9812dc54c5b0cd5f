// API schemas of invitations. They never contain the token, which only the mail has.
import { type Static, Type } from 'typebox'
import type { Role as RoleName } from '../../domain/roles.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { Role } from '../orgs/wire.ts'
import { Closed, EpochSeconds, MailAddress, OneOf, toEpoch } from '../shared/wire.ts'
import type { InvitationRow } from './store.ts'

const MAX_TOKEN = 512

export const InvitationPath = Closed('InvitationPath', {
  org: Type.String(),
  invitation_id: Type.String(),
})

export const InvitationPost = Closed('InvitationPost', {
  email: MailAddress,
  role: Role,
})

export const InvitationAccept = Closed('InvitationAccept', {
  token: Type.String({
    maxLength: MAX_TOKEN,
    writeOnly: true,
    description: 'The token from the link in the mail',
  }),
})

export const AcceptedInvitation = Closed('AcceptedInvitation', {
  org: Type.String(),
  role: Type.Unsafe<RoleName>({ ...Role, description: 'The role of the person after accepting' }),
})

export const Invitation = Closed('Invitation', {
  id: Type.String(),
  email: Type.String(),
  role: Role,
  invited_by: Type.String(),
  state: OneOf(['pending', 'expired']),
  created_at: EpochSeconds,
  sent_at: EpochSeconds,
  expires_at: EpochSeconds,
})

export function toWire(row: InvitationRow, now: Date): Static<typeof Invitation> {
  return {
    id: toWireId(row.invitation_id),
    email: row.email,
    role: row.role as RoleName,
    invited_by: row.invited_by,
    state: row.expires_at > now ? 'pending' : 'expired',
    created_at: toEpoch(row.created_at),
    sent_at: toEpoch(row.sent_at),
    expires_at: toEpoch(row.expires_at),
  }
}

/** Maps a malformed id to the nil UUID, which matches no invitation. */
export function toInvitationId({ invitation_id }: { invitation_id: string }): string {
  return parseWireId(invitation_id) ?? '00000000-0000-0000-0000-000000000000'
}
