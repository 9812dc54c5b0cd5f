// Mails the admins of an organization if a witness has seen another log, in the transaction that records it.
import type { Db } from '../db/database.ts'
import type { LogForkNotice } from '../domain/notification/notice.ts'
import { assert } from '../lib/assert.ts'
import type { Ids } from '../lib/ids.ts'
import { findOrgName } from './admins-store.ts'
import { mailAdmins } from './mail-admins.ts'

const MS_PER_SECOND = 1000

/** Returns the number of admins mailed. */
export async function announceFork(
  tx: Db,
  ids: Ids,
  { org_id, now }: { org_id: string; now: Date },
  fork: Pick<LogForkNotice, 'origin' | 'size' | 'witnesses'>,
): Promise<number> {
  const org = await findOrgName(tx, org_id)
  assert(org !== undefined, 'a log belongs to an organization')
  const happened_at = now.getTime() / MS_PER_SECOND
  const notice: LogForkNotice = { about: 'log', event_type: 'LOG_FORK', org, happened_at, ...fork }
  return mailAdmins(tx, ids, org_id, { notice, now })
}
