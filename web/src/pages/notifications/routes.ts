// The routes of the notification pages.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import { dropUndefined, type RawSearch, readPage } from '../../ui/search-params.ts'
import { type NotificationsSearch, readAboutSearch, readDeliverySearch } from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications',
  validateSearch: (search: RawSearch): NotificationsSearch =>
    dropUndefined({ environments: readPage(search.environments), flows: readPage(search.flows) }),
  loader: context => loadFirst('notifications', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'NotificationsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/new',
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'NewNotificationPage'),
})

const deliveries = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/deliveries',
  validateSearch: readDeliverySearch,
  loader: context => loadFirst('deliveries', context),
  component: lazyRouteComponent(() => loadLater(() => import('./deliveries.tsx')), 'DeliveriesPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/notifications/$number',
  validateSearch: readAboutSearch,
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'EditNotificationPage'),
})

export const notificationsRoutes = [list, create, deliveries, edit] as const
