// The addresses of environments and their snapshots.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'

export interface EnvironmentSearch {
  name?: string
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments',
  validateSearch: (search: Record<string, unknown>): EnvironmentSearch =>
    typeof search.name === 'string' && search.name !== '' ? { name: search.name } : {},
  component: lazyRouteComponent(() => import('./list.tsx'), 'EnvironmentsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments/$environment',
  component: lazyRouteComponent(() => import('./detail.tsx'), 'EnvironmentPage'),
})

const snapshot = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments/$environment/snapshots/$expression',
  component: lazyRouteComponent(() => import('./snapshot.tsx'), 'SnapshotPage'),
})

export const environmentRoutes = [list, detail, snapshot] as const
