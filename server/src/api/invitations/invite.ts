// Invites a mail address, for admins and for SCIM provisioning. An organization has at most one open invitation per
// address.
import type { Db } from '../../db/database.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import type { Deps } from '../operation.ts'
import { checkInvitationLimit } from '../shared/sending-limits.ts'
import { buildInvitationMail, computeExpiry } from './mail.ts'
import * as store from './store.ts'

export interface InviteContext extends RequestContext {
  readonly org: { readonly org_id: string; readonly name: string }
  readonly caller: { readonly id: string; readonly name: string }
}

export interface Invitee {
  email: string
  role: string
  /** The provisioned user, if SCIM provisioning sends the invitation. */
  scim_id: string | null
}

export type InviteDeps = Pick<Deps, 'ids' | 'secrets' | 'mailer' | 'base_url'>

/** Returns false if the address is already invited. Must not reveal whether a user with this address exists. */
export async function inviteByMail(
  tx: Db,
  { ids, secrets, mailer, base_url }: InviteDeps,
  context: InviteContext,
  { email, role, scim_id }: Invitee,
): Promise<boolean> {
  const { org, caller, now } = context
  const { key: token, secret_hash: token_hash } = secrets.createToken('inv')
  const invited_by = caller.name
  const expires_at = computeExpiry(now)
  await store.withdrawExpiredInvitation(tx, org.org_id, { email, now })
  const invitation_id = ids.next()
  const invitation = { invitation_id, email, role, scim_id, token_hash, invited_by, now, expires_at }
  if (!(await store.insertInvitation(tx, org.org_id, invitation))) return false
  await checkInvitationLimit(tx, context, email)
  const invited = { invitation_id, email, role, org: org.name, invited_by, token, expires_at }
  await mailer.queue(tx, org.org_id, now, buildInvitationMail(base_url, invited))
  await recordEvent(tx, context, ids, {
    kind: 'invitation_sent',
    data: { email, role },
    row_ids: { invitation: invitation_id },
  })
  return true
}

/** Withdraws the invitation that SCIM provisioning sent; those that admins sent stay open. */
export async function withdrawProvisionedInvitation(
  tx: Db,
  org_id: string,
  filter: { scim_id: string; now: Date },
): Promise<void> {
  await store.withdrawInvitationByScimId(tx, org_id, filter)
}
