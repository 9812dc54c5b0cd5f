// The API operations on notifications of either kind.
import { api, unwrap } from '../../api.ts'
import { expectList, expectPage } from '../../parts/queries.ts'
import { PER_PAGE } from '../../parts/schemas.ts'
import type { About } from './about.ts'
import type { Notification } from './codes.ts'
import type { NotificationInput } from './draft.ts'

const ALL = {
  environments: '/organizations/{org}/environments_notifications',
  flows: '/organizations/{org}/flows_notifications',
} as const
const ONE = {
  environments: '/organizations/{org}/environments_notifications/{number}',
  flows: '/organizations/{org}/flows_notifications/{number}',
} as const
const TEST = {
  environments: '/organizations/{org}/environments_notifications/{number}/test',
  flows: '/organizations/{org}/flows_notifications/{number}/test',
} as const

/** Identifies one notification. */
export interface NotificationPlace {
  org: string
  about: About
  number: number
}

export async function listNotifications(org: string, about: About): Promise<Notification[]> {
  return expectList(await unwrap(api.GET(ALL[about], { params: { path: { org } } })))
}

export async function listNotificationPage(org: string, about: About, page: number) {
  const query = { page, per_page: PER_PAGE }
  return expectPage(await unwrap(api.GET(ALL[about], { params: { path: { org }, query } })))
}

export function readNotification({ about, ...path }: NotificationPlace): Promise<Notification> {
  return unwrap(api.GET(ONE[about], { params: { path } }))
}

export function createNotification(org: string, about: About, body: NotificationInput) {
  return unwrap(api.PUT(ALL[about], { params: { path: { org } }, body }))
}

export function replaceNotification({ about, ...path }: NotificationPlace, body: NotificationInput) {
  return unwrap(api.PUT(ONE[about], { params: { path }, body }))
}

export function deleteNotification({ about, ...path }: NotificationPlace) {
  return unwrap(api.DELETE(ONE[about], { params: { path } }))
}

export function testNotification({ about, ...path }: NotificationPlace) {
  return unwrap(api.POST(TEST[about], { params: { path } }))
}
