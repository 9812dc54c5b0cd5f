// The routes of controls. Create and import are outside `/controls`, so that no identifier can clash with them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import {
  parseCellSearch,
  parseControlSearch,
  parseControlsSearch,
  parseDecideSearch,
  parseMatrixSearch,
} from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls',
  validateSearch: parseControlsSearch,
  loader: context => loadFirst('controls', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'ControlsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-control',
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'NewControlPage'),
})

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/import-controls',
  component: lazyRouteComponent(() => loadLater(() => import('./import.tsx')), 'ImportControlsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier',
  validateSearch: parseControlSearch,
  loader: context => loadFirst('control', context),
  component: lazyRouteComponent(() => loadLater(() => import('./detail.tsx')), 'ControlPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier/edit',
  loader: context => loadFirst('control', context),
  component: lazyRouteComponent(() => loadLater(() => import('./edit.tsx')), 'EditControlPage'),
})

const decide = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier/decide',
  validateSearch: parseDecideSearch,
  component: lazyRouteComponent(() => loadLater(() => import('./decide.tsx')), 'DecidePage'),
})

const matrix = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/control-coverage',
  validateSearch: parseMatrixSearch,
  loader: context => loadFirst('controlCoverage', context),
  component: lazyRouteComponent(() => loadLater(() => import('./matrix.tsx')), 'ControlMatrixPage'),
})

const cell = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier/environments/$environment',
  validateSearch: parseCellSearch,
  loader: context => loadFirst('controlCell', context),
  component: lazyRouteComponent(() => loadLater(() => import('./cell.tsx')), 'ControlCellPage'),
})

export const controlsRoutes = [list, create, importRoute, detail, edit, decide, matrix, cell] as const
