// The addresses of notifications and of the log of what was sent.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import { type DeliveryStatus, EVENTS, type EventType, STATUSES } from './words.ts'

/** Times in seconds since 1970. `delivery` is the one whose details are open. */
export interface DeliverySearch {
  number?: number
  notification_type?: 'api_key_expiry'
  event_type?: EventType
  status?: DeliveryStatus
  from?: number
  to?: number
  cursor?: string
  delivery?: string
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0

const isNumber = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isKeyOf = <Words extends object>(words: Words, value: unknown): value is keyof Words =>
  typeof value === 'string' && Object.hasOwn(words, value)

function deliverySearch(search: Record<string, unknown>): DeliverySearch {
  const { number, notification_type, event_type, status, from, to, cursor, delivery } = search
  return {
    ...(isNumber(number) && { number }),
    ...(notification_type === 'api_key_expiry' && { notification_type }),
    ...(isKeyOf(EVENTS, event_type) && { event_type }),
    ...(isKeyOf(STATUSES, status) && { status }),
    ...(isTime(from) && { from }),
    ...(isTime(to) && { to }),
    ...(isText(cursor) && { cursor }),
    ...(isText(delivery) && { delivery }),
  }
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications',
  component: lazyRouteComponent(() => import('./list.tsx'), 'NotificationsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/new',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'NewNotificationPage'),
})

const deliveries = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/deliveries',
  validateSearch: deliverySearch,
  component: lazyRouteComponent(() => import('./deliveries.tsx'), 'DeliveriesPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/$number',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'EditNotificationPage'),
})

export const notificationsRoutes = [list, create, deliveries, edit] as const
