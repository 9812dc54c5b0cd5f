// GET /organizations/{org}/flows_notifications: all of them, newest first, or a page when one is asked for.
import { NotificationListQuery, NotificationsPath } from '../environments-notifications/wire.ts'
import { operation } from '../operation.ts'
import { pageOf, paginationOf, sliceOf } from '../shared/page.ts'
import { listNotifications } from './store.ts'
import { FlowNotificationList, toWire } from './wire.ts'

const USUAL_PER_PAGE = 20

export const listFlowNotifications = operation(
  {
    id: 'listFlowNotifications',
    method: 'GET',
    path: '/organizations/{org}/flows_notifications',
    tag: 'Notifications',
    summary: 'List flow notifications',
    description:
      'The one with the highest number first. A plain array; with `page` or `per_page` an envelope.',
    access: 'reader',
    audit: 'none: reads',
    params: NotificationsPath,
    query: NotificationListQuery,
    returns: FlowNotificationList,
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20' } },
  },
  async ({ query, org }, { db, sealer }) => {
    const page = pageOf(query, USUAL_PER_PAGE)
    const { rows, total } = await db.inTransaction({ org_id: org.org_id }, tx =>
      listNotifications(tx, org.org_id, page ? sliceOf(page) : { most: null, skip: 0 }),
    )
    const data = rows.map(row => toWire(row, org.role, sealer))
    return page ? { data, pagination: paginationOf(page, total) } : data
  },
)
