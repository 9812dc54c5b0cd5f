// GET /organizations/{org}/environments_notifications and …/flows_notifications: all of them or one page, newest first.
import { defineOperation } from '../operation.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import { ABOUT_ENVIRONMENTS, ABOUT_FLOWS, type NotificationKind } from './kinds.ts'
import * as store from './store.ts'
import { NotificationListQuery, NotificationsPath, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 20

export const listEnvironmentNotifications = defineList(ABOUT_ENVIRONMENTS, {
  id: 'listEnvironmentNotifications',
  summary: 'List environment notifications',
})
export const listFlowNotifications = defineList(ABOUT_FLOWS, {
  id: 'listFlowNotifications',
  summary: 'List flow notifications',
})

function defineList(kind: NotificationKind, { id, summary }: { id: string; summary: string }) {
  return defineOperation(
    {
      id,
      method: 'GET',
      path: kind.path,
      tag: 'Notifications',
      summary,
      description: 'Highest number first. A plain array, or an envelope if `page` or `per_page` is given.',
      access: 'reader',
      audit: 'none: reads',
      reads: 'replica',
      params: NotificationsPath,
      query: NotificationListQuery,
      returns: kind.List,
      fails: [400, 403],
      example: { query: { page: '1', per_page: '20' } },
    },
    async ({ query, org }, { db, sealer }) => {
      const { org_id, role } = org
      const show = (row: store.NotificationRow) => toWire(kind.type, row, role, sealer)
      const page = readPageRequest(query, DEFAULT_PER_PAGE)
      if (!page) return (await store.listNotifications(db, org_id, kind.type)).map(show)
      const { rows, total } = await db.withTransaction({ org_id }, tx =>
        store.listNotificationsPage(tx, org_id, kind.type, toSlice(page)),
      )
      return { data: rows.map(show), pagination: buildPagination(page, total) }
    },
  )
}
