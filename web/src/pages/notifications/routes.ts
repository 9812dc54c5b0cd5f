// The routes of the notification pages.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readCount,
  readPage,
  readText,
  readTime,
} from '../../ui/search-params.ts'
import { type AboutSearch, readAbout } from './about.ts'
import { type DeliveryStatus, EVENTS, type EventType, listKeys, STATUSES } from './codes.ts'

/** The page number of each list. */
export interface NotificationsSearch {
  environments?: number
  flows?: number
}

/** Times are in seconds since 1970. `delivery` is the open delivery. */
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

function readDeliverySearch(search: RawSearch): DeliverySearch {
  return dropUndefined({
    number: readCount(search.number),
    notification_type: pickOne(search.notification_type, ['api_key_expiry']),
    event_type: pickOne(search.event_type, listKeys<EventType>(EVENTS)),
    status: pickOne(search.status, listKeys(STATUSES)),
    from: readTime(search.from),
    to: readTime(search.to),
    cursor: readText(search.cursor),
    delivery: readText(search.delivery),
  })
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications',
  validateSearch: (search: RawSearch): NotificationsSearch =>
    dropUndefined({ environments: readPage(search.environments), flows: readPage(search.flows) }),
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
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import('./deliveries.tsx'), 'DeliveriesPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/$number',
  validateSearch: (search: RawSearch): AboutSearch => dropUndefined({ about: readAbout(search.about) }),
  component: lazyRouteComponent(() => import('./edit.tsx'), 'EditNotificationPage'),
})

export const notificationsRoutes = [list, create, deliveries, edit] as const
