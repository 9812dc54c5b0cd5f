// Mails a notice to the admins of an organization, whatever its notifications are: what they must learn of.
import type { Db } from '../db/database.ts'
import { enqueueDeliveries } from '../delivery/outbox.ts'
import type { Notice } from '../domain/notification/notice.ts'
import type { Ids } from '../lib/ids.ts'
import { listAdminEmails } from './admins-store.ts'

export interface AdminNotice {
  notice: Notice
  now: Date
  /** The notification that it is about. */
  notification_id?: string | null
}

/** Call it in the transaction that makes the mails necessary. Returns how many there are. */
export async function mailAdmins(
  tx: Db,
  ids: Ids,
  org_id: string,
  { notice, now, notification_id = null }: AdminNotice,
): Promise<number> {
  const addresses = await listAdminEmails(tx, org_id)
  const deliveries = addresses.map(to => ({
    job_id: ids.next(),
    event_type: notice.event_type,
    notification_id,
    // Not a message that a configuration subscribes to.
    notification_type: null,
    target_id: null,
    payload: { notice, to },
  }))
  await enqueueDeliveries(tx, org_id, deliveries, now)
  return addresses.length
}
