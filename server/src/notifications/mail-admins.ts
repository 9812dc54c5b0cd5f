// Mails a notice to the admins of an organization, whatever notifications they have configured.
import type { Db } from '../db/database.ts'
import { enqueueDeliveries } from '../delivery/outbox.ts'
import type { Notice } from '../domain/notification/notice.ts'
import type { Ids } from '../lib/ids.ts'
import { listAdminEmails } from './admins-store.ts'

export interface AdminNotice {
  notice: Notice
  now: Date
  /** The notification that the mail is about. */
  notification_id?: string | null
}

/** Call it in the transaction that makes the mails necessary. Returns their number. */
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
    // No configuration subscribes to this message.
    notification_type: null,
    target_id: null,
    payload: { notice, to },
  }))
  await enqueueDeliveries(tx, org_id, deliveries, now)
  return addresses.length
}
