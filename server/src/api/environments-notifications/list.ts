// GET /organizations/{org}/environments_notifications: all of them, newest first, or a page when one is asked for.
import { operation } from '../operation.ts'
import { pageOf, paginationOf, sliceOf } from '../shared/page.ts'
import * as store from './store.ts'
import { EnvironmentNotificationList, NotificationListQuery, NotificationsPath, toWire } from './wire.ts'

const USUAL_PER_PAGE = 20

export const listEnvironmentNotifications = operation(
  {
    id: 'listEnvironmentNotifications',
    method: 'GET',
    path: '/organizations/{org}/environments_notifications',
    tag: 'Notifications',
    summary: 'List environment notifications',
    description:
      'The one with the highest number first. A plain array; with `page` or `per_page` an envelope.',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationsPath,
    query: NotificationListQuery,
    returns: EnvironmentNotificationList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20' } },
  },
  async ({ query, org }, { db, sealer }) => {
    const page = pageOf(query, USUAL_PER_PAGE)
    const shown = (row: store.NotificationRow) => toWire(row, org.role, sealer)
    if (!page) return (await store.listNotifications(db, org.org_id)).map(shown)
    const { rows, total } = await db.inTransaction({ org_id: org.org_id }, tx =>
      store.pageOfNotifications(tx, org.org_id, sliceOf(page)),
    )
    return { data: rows.map(shown), pagination: paginationOf(page, total) }
  },
)
