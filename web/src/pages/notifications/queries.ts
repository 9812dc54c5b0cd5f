// Queries of the notification pages.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { environmentsQuery, flowNamesQuery } from '../../parts/queries.ts'
import { PER_PAGE } from '../../parts/schemas.ts'
import { type About, KINDS_OF_NOTIFICATION } from './about.ts'
import { listNotificationPage, listNotifications, type NotificationPlace, readNotification } from './calls.ts'
import type { DeliverySearch } from './search.ts'

/** How often to poll while deliveries are waiting. */
const PENDING_POLL_MS = 3000

/** All notifications of both kinds, for pickers and for finding failing ones. */
export const notificationsQuery = (org: string) =>
  queryOptions({
    queryKey: ['notifications', org],
    queryFn: async () => {
      const all = await Promise.all(KINDS_OF_NOTIFICATION.map(about => listNotifications(org, about)))
      return all.flat()
    },
  })

export const notificationPageQuery = (org: string, about: About, page: number) =>
  queryOptions({
    queryKey: ['notification page', org, about, page],
    placeholderData: keepPreviousData,
    queryFn: () => listNotificationPage(org, about, page),
  })

export const notificationQuery = (place: NotificationPlace) =>
  queryOptions({
    queryKey: ['notifications', place.org, place.about, place.number],
    queryFn: () => readNotification(place),
  })

/** The names that a notification can watch. */
export const subjectNamesQuery = (org: string, about: About) =>
  queryOptions({
    queryKey: ['notification subjects', org, about],
    queryFn: async ({ client }) => {
      if (about === 'flows') return client.fetchQuery(flowNamesQuery(org))
      return (await client.fetchQuery(environmentsQuery(org))).map(({ name }) => name)
    },
  })

const buildKeyExpiryPath = (org: string) => ({ org, notification_type: 'api_key_expiry' as const })

export const keyExpiryQuery = (org: string) =>
  queryOptions({
    queryKey: ['notification-config', org],
    queryFn: () =>
      unwrap(
        api.GET('/notification-config/{org}/{notification_type}', {
          params: { path: buildKeyExpiryPath(org) },
        }),
      ),
  })

/** Ignores which delivery is open, because the list does not depend on it. */
export const deliveriesQuery = (org: string, { delivery: _open, ...filters }: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', org, filters],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'pending') ? PENDING_POLL_MS : false,
    queryFn: () =>
      unwrap(
        api.GET('/notification-deliveries/{org}', {
          params: { path: { org }, query: { ...filters, per_page: PER_PAGE } },
        }),
      ),
  })

export const deliveryQuery = (org: string, delivery_id: string) =>
  queryOptions({
    queryKey: ['deliveries', org, delivery_id],
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? PENDING_POLL_MS : false),
    queryFn: () =>
      unwrap(
        api.GET('/notification-deliveries/{org}/{delivery_id}', { params: { path: { org, delivery_id } } }),
      ),
  })

/** The largest page that the server returns. */
export const MAX_COUNTED = 100

/** Counts the waiting messages of a time range. */
export const waitingQuery = (org: string, range: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', org, 'waiting', range],
    refetchInterval: ({ state }) => (state.data?.count === 0 ? false : PENDING_POLL_MS),
    queryFn: async () => {
      const query = { ...range, status: 'pending' as const, per_page: MAX_COUNTED }
      const { deliveries, next } = await unwrap(
        api.GET('/notification-deliveries/{org}', { params: { path: { org }, query } }),
      )
      return { count: deliveries.length, hasMore: next !== null }
    },
  })
