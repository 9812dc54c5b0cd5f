// Errors about invitations.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import { type InvitationRow, lockOpenInvitation } from './store.ts'
import { toInvitationId } from './wire.ts'

export function noSuchInvitation(): AppError {
  return notFound('Invitation not found')
}

/** Locks an open invitation or throws. */
export async function requireLockedInvitation(
  tx: Db,
  org_id: string,
  params: { invitation_id: string },
): Promise<InvitationRow> {
  const row = await lockOpenInvitation(tx, org_id, toInvitationId(params))
  if (!row) throw noSuchInvitation()
  return row
}
