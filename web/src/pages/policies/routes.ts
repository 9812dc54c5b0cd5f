// The routes of policies. The page for a new policy is outside `/policies`, so that a policy can be named `new`.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import {
  dropUndefined,
  type RawSearch,
  readCount,
  readPage,
  readSwitch,
  readText,
} from '../../ui/search-params.ts'
import type { PoliciesSearch, PolicySearch } from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies',
  validateSearch: (search: RawSearch): PoliciesSearch =>
    dropUndefined({
      name: readText(search.name),
      archived: readSwitch(search.archived),
      page: readPage(search.page),
    }),
  loader: context => loadFirst('policies', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'PoliciesPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-policy',
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'NewPolicyPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies/$policy',
  validateSearch: (search: RawSearch): PolicySearch =>
    dropUndefined({ from: readCount(search.from), to: readCount(search.to) }),
  loader: context => loadFirst('policy', context),
  component: lazyRouteComponent(() => loadLater(() => import('./detail.tsx')), 'PolicyPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies/$policy/edit',
  loader: context => loadFirst('policy', context),
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'EditPolicyPage'),
})

export const policiesRoutes = [list, create, detail, edit] as const
