// The route of an organization's trends.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import { parseTrendsSearch } from './search.ts'

const trends = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/trends',
  validateSearch: parseTrendsSearch,
  loader: context => loadFirst('trends', context),
  component: lazyRouteComponent(() => loadLater(() => import('./trends.tsx')), 'TrendsPage'),
})

export const trendsRoutes = [trends] as const
