// The route of the matrix: which artifacts run where.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { rootRoute } from '../../root-route.tsx'
import { parseRunningSearch } from './search.ts'

const matrix = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/running',
  validateSearch: parseRunningSearch,
  component: lazyRouteComponent(() => loadLater(() => import('./matrix.tsx')), 'RunningPage'),
})

export const runningRoutes = [matrix] as const
