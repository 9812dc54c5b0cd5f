// The routes of environments and their snapshots. A snapshot is a child route without a component of its own: moving
// through history keeps the page of the environment, its focus and its tab.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readPage,
  readSwitch,
  readText,
} from '../../ui/search-params.ts'
import {
  type EnvironmentListSearch,
  LIST_ORDERS,
  LIST_STATES,
  parseEnvironmentSearch,
  TYPES,
} from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments',
  validateSearch: (search: RawSearch): EnvironmentListSearch =>
    dropUndefined({
      name: readText(search.name),
      type: pickOne(search.type, TYPES),
      state: pickOne(search.state, LIST_STATES),
      tag: readText(search.tag),
      archived: readSwitch(search.archived),
      sort: pickOne(search.sort, LIST_ORDERS),
      descending: readSwitch(search.descending),
      page: readPage(search.page),
    }),
  loader: context => loadFirst('environments', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'EnvironmentsPage'),
})

/** Outside `/environments`, so that no name can clash with it. */
const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-environment',
  component: lazyRouteComponent(() => loadLater(() => import('./new-environment.tsx')), 'NewEnvironmentPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments/$environment',
  validateSearch: parseEnvironmentSearch,
  loader: context => loadFirst('environment', context),
  component: lazyRouteComponent(() => loadLater(() => import('./detail.tsx')), 'EnvironmentPage'),
})

const now = createRoute({ getParentRoute: () => detail, path: '/', component: () => null })

const snapshot = createRoute({
  getParentRoute: () => detail,
  path: 'snapshots/$expression',
  component: () => null,
})

export const environmentRoutes = [list, create, detail.addChildren([now, snapshot])] as const
