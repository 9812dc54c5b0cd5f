// The routes of flows and their trails.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import { defined, oneOf, onOf, pageOf, type Typed, textOf } from '../../ui/search-params.ts'

export const FLOW_ORDERS = ['name', 'latest_activity'] as const
export const TRAIL_STATES = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] as const
export const FLOW_TABS = ['trails', 'template', 'settings'] as const

export interface FlowsSearch {
  name?: string
  /** `key` or `key:value`. */
  tag?: string
  sort?: (typeof FLOW_ORDERS)[number]
  /** Shows archived flows instead of the others. */
  archived?: true
  page?: number
}

export interface FlowSearch {
  tab?: (typeof FLOW_TABS)[number]
  /** Only trails whose name contains this. */
  name?: string
  /** Only trails that have this artifact. */
  fingerprint?: string
  /** Only trails in this state. */
  state?: (typeof TRAIL_STATES)[number]
  page?: number
}

export interface TrailSearch {
  attestation_id?: string
}

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows',
  validateSearch: (search: Typed): FlowsSearch =>
    defined({
      name: textOf(search.name),
      tag: textOf(search.tag),
      sort: oneOf(search.sort, FLOW_ORDERS),
      archived: onOf(search.archived),
      page: pageOf(search.page),
    }),
  component: lazyRouteComponent(() => import('./list.tsx'), 'FlowsPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow',
  validateSearch: (search: Typed): FlowSearch =>
    defined({
      tab: oneOf(search.tab, FLOW_TABS),
      name: textOf(search.name),
      fingerprint: textOf(search.fingerprint),
      state: oneOf(search.state, TRAIL_STATES),
      page: pageOf(search.page),
    }),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'FlowPage'),
})

const trail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/trails/$trail',
  validateSearch: (search: Typed): TrailSearch => defined({ attestation_id: textOf(search.attestation_id) }),
  component: lazyRouteComponent(() => import('./trail.tsx'), 'TrailPage'),
})

export const flowsRoutes = [list, detail, trail] as const
