// The routes of controls. Create and import are outside `/controls`, so that no identifier can clash with them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readDay,
  readFlag,
  readPage,
  readSwitch,
  readText,
  readTexts,
} from '../../ui/search-params.ts'

const DIRECTIONS = ['asc', 'desc'] as const
export type SortDirection = (typeof DIRECTIONS)[number]

export interface ControlsSearch {
  search?: string
  tag?: string[]
  archived?: true
  sort_direction?: SortDirection
  page?: number
}

export const CONTROL_TABS = ['decisions', 'coverage', 'versions'] as const
export type ControlTab = (typeof CONTROL_TABS)[number]

/** Each tab has its own filters; changing the tab drops them. */
export interface ControlSearch {
  tab?: ControlTab
  page?: number
  /** From here on: filters of the decisions. */
  is_compliant?: boolean
  flow_name?: string
  from?: string
  to?: string
  sort_direction?: SortDirection
  cursor?: string
  /** The open decision, by the id of its attestation. */
  decision?: string
  /** From here on: filters of the coverage. */
  search?: string
  covered?: boolean
}

export function parseControlsSearch(typed: RawSearch): ControlsSearch {
  return dropUndefined({
    search: readText(typed.search),
    tag: readTexts(typed.tag),
    archived: readSwitch(typed.archived),
    sort_direction: pickOne(typed.sort_direction, DIRECTIONS),
    page: readPage(typed.page),
  })
}

export function parseControlSearch(typed: RawSearch): ControlSearch {
  return dropUndefined({
    tab: pickOne(typed.tab, CONTROL_TABS),
    page: readPage(typed.page),
    is_compliant: readFlag(typed.is_compliant),
    flow_name: readText(typed.flow_name),
    from: readDay(typed.from),
    to: readDay(typed.to),
    sort_direction: pickOne(typed.sort_direction, DIRECTIONS),
    cursor: readText(typed.cursor),
    decision: readText(typed.decision),
    search: readText(typed.search),
    covered: readFlag(typed.covered),
  })
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls',
  validateSearch: parseControlsSearch,
  component: lazyRouteComponent(() => import('./list.tsx'), 'ControlsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-control',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'NewControlPage'),
})

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/import-controls',
  component: lazyRouteComponent(() => import('./import.tsx'), 'ImportControlsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/controls/$identifier',
  validateSearch: parseControlSearch,
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
  validateSearch: (search: RawSearch): { page?: number } => dropUndefined({ page: readPage(search.page) }),
  component: lazyRouteComponent(() => import('./matrix.tsx'), 'CoverageMatrixPage'),
})

export const controlsRoutes = [list, create, importRoute, detail, edit, matrix] as const
