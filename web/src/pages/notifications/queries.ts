// What the pages of notifications ask the server for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'
import { asPage, asWhole } from '../../parts/queries.ts'
import { PER_PAGE } from '../../parts/schemas.ts'
import type { DeliverySearch } from './routes.ts'

/** What waits is looked at again soon. */
const PENDING_POLL_MS = 3000

const LIST = '/organizations/{org}/environments_notifications'

/** All of them: for a choice, and to find those that fail. */
export const notificationsQuery = (org: string) =>
  queryOptions({
    queryKey: ['notifications', org],
    queryFn: async () => asWhole(await answered(api.GET(LIST, { params: { path: { org } } }))),
  })

export const notificationPageQuery = (org: string, page: number) =>
  queryOptions({
    queryKey: ['notification page', org, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const query = { page, per_page: PER_PAGE }
      return asPage(await answered(api.GET(LIST, { params: { path: { org }, query } })))
    },
  })

export const notificationQuery = (org: string, number: number) =>
  queryOptions({
    queryKey: ['notifications', org, number],
    queryFn: () =>
      answered(
        api.GET('/organizations/{org}/environments_notifications/{number}', {
          params: { path: { org, number } },
        }),
      ),
  })

const keyExpiryPath = (org: string) => ({ org, notification_type: 'api_key_expiry' as const })

export const keyExpiryQuery = (org: string) =>
  queryOptions({
    queryKey: ['notification-config', org],
    queryFn: () =>
      answered(
        api.GET('/notification-config/{org}/{notification_type}', { params: { path: keyExpiryPath(org) } }),
      ),
  })

/** Which of them is open makes no difference to the list. */
export const deliveriesQuery = (org: string, { delivery: _open, ...filters }: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', org, filters],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'pending') ? PENDING_POLL_MS : false,
    queryFn: () =>
      answered(
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
      answered(
        api.GET('/notification-deliveries/{org}/{delivery_id}', { params: { path: { org, delivery_id } } }),
      ),
  })

/** As many as the server lists at once. */
export const MOST_COUNTED = 100

/** How many messages of a time wait to be sent. */
export const waitingQuery = (org: string, made: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', org, 'waiting', made],
    refetchInterval: ({ state }) => (state.data?.count === 0 ? false : PENDING_POLL_MS),
    queryFn: async () => {
      const query = { ...made, status: 'pending' as const, per_page: MOST_COUNTED }
      const { deliveries, next } = await answered(
        api.GET('/notification-deliveries/{org}', { params: { path: { org }, query } }),
      )
      return { count: deliveries.length, hasMore: next !== null }
    },
  })
