// The addresses of controls. What makes or imports one is outside of `/controls`, so that no identifier can clash.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import { type ControlSearch, type ControlsSearch, controlSearch, controlsSearch, pageOf } from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls',
  validateSearch: (search: Record<string, unknown>): ControlsSearch => controlsSearch(search),
  component: lazyRouteComponent(() => import('./list.tsx'), 'ControlsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-control',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'NewControlPage'),
})

const importing = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/import-controls',
  component: lazyRouteComponent(() => import('./import.tsx'), 'ImportControlsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier',
  validateSearch: (search: Record<string, unknown>): ControlSearch => controlSearch(search),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'ControlPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier/edit',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'EditControlPage'),
})

const matrix = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/control-coverage',
  validateSearch: (search: Record<string, unknown>): { page?: number } => pageOf(search),
  component: lazyRouteComponent(() => import('./matrix.tsx'), 'CoverageMatrixPage'),
})

export const controlsRoutes = [list, create, importing, detail, edit, matrix] as const
