// Inviting an address: by an admin, or by the directory of an organization. One invitation of an organization is open for an
// address at a time.
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
  /** The provisioned user it is for, when a directory invites. */
  scim_id: string | null
}

export type InviteDeps = Pick<Deps, 'ids' | 'secrets' | 'mailer' | 'base_url'>

/** False when the address is invited already. Nothing here depends on whether anybody has the address. */
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
  const mail = buildInvitationMail(base_url, { email, role, org: org.name, invited_by, token, expires_at })
  await mailer.queue(tx, org.org_id, now, mail)
  await recordEvent(tx, context, ids, { kind: 'invitation_sent', data: { email, role } })
  return true
}

/** Withdraws what a directory sent to a provisioned user; what an admin sent stays open. */
export async function withdrawProvisionedInvitation(
  tx: Db,
  org_id: string,
  of: { scim_id: string; now: Date },
): Promise<void> {
  await store.withdrawInvitationByScimId(tx, org_id, of)
}
