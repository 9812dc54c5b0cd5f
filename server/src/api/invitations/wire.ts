// API schemas of invitations. They never contain the token, which only the mail has.
import { type Static, Type } from 'typebox'
import type { Role as RoleName } from '../../domain/roles.ts'
import { parseWireId, toWireId } from '../../lib/ids.ts'
import { Role } from '../orgs/wire.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { CreatedAt, ExpiresAt, Id, OrgName } from '../shared/fields.ts'
import { about, Closed, Described, MailAddress, OneOf, Time, toEpoch } from '../shared/wire.ts'
import type { InvitationRow } from './store.ts'

const MAX_TOKEN = 512

export const InvitationPath = Closed('InvitationPath', {
  org: OrgName,
  invitation_id: Type.String(about('Id of the invitation', EXAMPLE_ID)),
})

export const InvitationPost = Closed('InvitationPost', {
  email: Described(MailAddress, 'Mail address of the invited person', 'ines@example.com'),
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
  org: OrgName,
  role: Type.Unsafe<RoleName>({
    ...Role,
    ...about('The role of the person after accepting', 'member'),
  }),
})

export const Invitation = Closed('Invitation', {
  id: Id,
  email: Type.String(about('Mail address of the invited person', 'ada@example.com')),
  role: Role,
  invited_by: Type.String(about('User who sent the invitation', 'ada')),
  state: OneOf(['pending', 'expired'], about('Whether the invitation can still be accepted', 'pending')),
  mail: OneOf(
    ['waiting', 'sent', 'held', 'stopped'],
    about(
      'What became of the newest mail: it waits to be sent, was sent, is held back for the daily digest of the address, or ' +
        'the address accepts no mail from this service',
      'sent',
    ),
  ),
  created_at: CreatedAt,
  sent_at: Time('Time when it was last sent'),
  expires_at: ExpiresAt,
})

export function toWire(row: InvitationRow, now: Date): Static<typeof Invitation> {
  return {
    id: toWireId(row.invitation_id),
    email: row.email,
    role: row.role as RoleName,
    invited_by: row.invited_by,
    state: row.expires_at > now ? 'pending' : 'expired',
    mail: (row.mail ?? 'waiting') as Static<typeof Invitation>['mail'],
    created_at: toEpoch(row.created_at),
    sent_at: toEpoch(row.sent_at),
    expires_at: toEpoch(row.expires_at),
  }
}

/** Maps a malformed id to the nil UUID, which matches no invitation. */
export function toInvitationId({ invitation_id }: { invitation_id: string }): string {
  return parseWireId(invitation_id) ?? '00000000-0000-0000-0000-000000000000'
}
