// Inviting an address: by an admin, or by the directory of an organization. One invitation of an organization is open for an
// address at a time.
import type { Db } from '../../db/database.ts'
import { type Occasion, record } from '../../events/record.ts'
import type { Deps } from '../operation.ts'
import { takeInvitation } from '../shared/sending-limits.ts'
import { expiryOf, invitationMail } from './mail.ts'
import * as store from './store.ts'

export interface Inviting extends Occasion {
  readonly org: { readonly org_id: string; readonly name: string }
  readonly caller: { readonly id: string; readonly name: string }
}

export interface Invited {
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
  context: Inviting,
  { email, role, scim_id }: Invited,
): Promise<boolean> {
  const { org, caller, now } = context
  const { key: token, secret_hash: token_hash } = secrets.newApiKey('inv')
  const invited_by = caller.name
  const expires_at = expiryOf(now)
  await store.withdrawExpiredInvitation(tx, org.org_id, { email, now })
  const invitation_id = ids.next()
  const invitation = { invitation_id, email, role, scim_id, token_hash, invited_by, now, expires_at }
  if (!(await store.insertInvitation(tx, org.org_id, invitation))) return false
  await takeInvitation(tx, context, email)
  const mail = invitationMail(base_url, { email, role, org: org.name, invited_by, token, expires_at })
  await mailer.queue(tx, org.org_id, now, mail)
  await record(tx, context, ids, { kind: 'invitation_sent', data: { email, role } })
  return true
}

/** Withdraws what a directory sent to a provisioned user; what an admin sent stays open. */
export async function withdrawInvitationFor(
  tx: Db,
  org_id: string,
  of: { scim_id: string; now: Date },
): Promise<void> {
  await store.withdrawInvitationOf(tx, org_id, of)
}
