// The addresses of environments and their snapshots. A snapshot is the page of its environment at another moment, so it
// is a child without a face of its own: moving through history keeps the page, the focus and the tab.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'

export const TABS = ['now', 'timeline', 'log', 'compare', 'allow-list', 'policies', 'settings'] as const
export type Tab = (typeof TABS)[number]

export const STATES = ['compliant', 'non-compliant', 'unknown'] as const

export interface EnvironmentListSearch {
  name?: string
  state?: (typeof STATES)[number]
}

export interface EnvironmentSearch {
  tab?: Tab
  /** Part of the name of an artifact. */
  artifact?: string
  state?: (typeof STATES)[number]
  page?: number
  /** Days, as 2026-03-14, in the zone of the reader. */
  from?: string
  to?: string
  repo?: string
  oldest_first?: true
  /** The two sides of a comparison. */
  left?: string
  right?: string
  include_ended?: true
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const day = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined
const isTrue = (value: unknown) => (value === true ? true : undefined)
const oneOf = <T>(all: readonly T[], value: unknown) => all.find(each => each === value)
const pageNumber = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined
/** A bare number in the address is read as a number; a snapshot may be written so. */
const expression = (value: unknown) => text(typeof value === 'number' ? String(value) : value)

function withoutGaps<T extends object>(values: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}

export function environmentSearch(search: Record<string, unknown>): EnvironmentSearch {
  return withoutGaps<EnvironmentSearch>({
    tab: oneOf(TABS, search.tab),
    artifact: text(search.artifact),
    state: oneOf(STATES, search.state),
    page: pageNumber(search.page),
    from: day(search.from),
    to: day(search.to),
    repo: text(search.repo),
    oldest_first: isTrue(search.oldest_first),
    left: expression(search.left),
    right: expression(search.right),
    include_ended: isTrue(search.include_ended),
  })
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments',
  validateSearch: (search: Record<string, unknown>): EnvironmentListSearch =>
    withoutGaps<EnvironmentListSearch>({ name: text(search.name), state: oneOf(STATES, search.state) }),
  component: lazyRouteComponent(() => import('./list.tsx'), 'EnvironmentsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/environments/$environment',
  validateSearch: environmentSearch,
  component: lazyRouteComponent(() => import('./detail.tsx'), 'EnvironmentPage'),
})

const now = createRoute({ getParentRoute: () => detail, path: '/', component: () => null })

const snapshot = createRoute({
  getParentRoute: () => detail,
  path: 'snapshots/$expression',
  component: () => null,
})

export const environmentRoutes = [list, detail.addChildren([now, snapshot])] as const
