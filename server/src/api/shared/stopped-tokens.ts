// Tells the admins of an organization that SCIM tokens stopped working, because whoever answers for them has left or is
// no longer an admin. The tokens themselves need no change: every request asks for the owner's present role.
import type { Db } from '../../db/database.ts'
import type { TokensStoppedNotice } from '../../domain/notification/notice.ts'
import type { EventInput } from '../../events/record.ts'
import type { Ids } from '../../lib/ids.ts'
import { toWireId } from '../../lib/ids.ts'
import { findOrgName } from '../../notifications/admins-store.ts'
import { mailAdmins } from '../../notifications/mail-admins.ts'
import { listTokensOfPerson } from './stopped-tokens-store.ts'
import { toEpoch } from './wire.ts'

export interface FormerAdmin {
  org_id: string
  user_id: string
  user_name: string
  has_left: boolean
  now: Date
}

/** Call it after the role has changed, in the same transaction, and record the returned events. */
export async function announceStoppedTokens(
  tx: Db,
  ids: Ids,
  { org_id, user_id, user_name: owner, has_left, now }: FormerAdmin,
): Promise<EventInput[]> {
  const tokens = await listTokensOfPerson(tx, org_id, { user_id, now })
  if (tokens.length === 0) return []
  const notice: TokensStoppedNotice = {
    about: 'scim_tokens',
    event_type: 'SCIM_TOKEN_STOPPED',
    org: (await findOrgName(tx, org_id)) ?? '',
    happened_at: toEpoch(now),
    owner,
    has_left,
    tokens: tokens.map(({ description, hint }) => ({ description, hint })),
  }
  await mailAdmins(tx, ids, org_id, { notice, now })
  return tokens.map(({ token_id, hint, description }) => ({
    kind: 'scim_token_stopped',
    data: { token_id: toWireId(token_id), hint, description, owner },
  }))
}
