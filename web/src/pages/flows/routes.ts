// The routes of flows and their trails. Create is outside `/flows`, so that no name can clash with it.

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
import { parseTrendsSearch } from '../trends/search.ts'
import {
  type AttestSearch,
  FLOW_ORDERS,
  FLOW_TABS,
  type FlowSearch,
  type FlowsSearch,
  TRAIL_STATES,
  type TrailSearch,
} from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows',
  validateSearch: (search: RawSearch): FlowsSearch =>
    dropUndefined({
      name: readText(search.name),
      tag: readText(search.tag),
      sort: pickOne(search.sort, FLOW_ORDERS),
      descending: readSwitch(search.descending),
      archived: readSwitch(search.archived),
      page: readPage(search.page),
    }),
  loader: context => loadFirst('flows', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'FlowsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-flow',
  component: lazyRouteComponent(() => loadLater(() => import('./new-flow.tsx')), 'NewFlowPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow',
  validateSearch: (search: RawSearch): FlowSearch =>
    dropUndefined({
      tab: pickOne(search.tab, FLOW_TABS),
      name: readText(search.name),
      fingerprint: readText(search.fingerprint),
      state: pickOne(search.state, TRAIL_STATES),
      page: readPage(search.page),
      ...parseTrendsSearch(search),
    }),
  loader: context => loadFirst('flow', context),
  component: lazyRouteComponent(() => loadLater(() => import('./detail.tsx')), 'FlowPage'),
})

const trail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/trails/$trail',
  validateSearch: (search: RawSearch): TrailSearch =>
    dropUndefined({ attestation_id: readText(search.attestation_id) }),
  loader: context => loadFirst('trail', context),
  component: lazyRouteComponent(() => loadLater(() => import('./trail.tsx')), 'TrailPage'),
})

const attest = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/trails/$trail/attest',
  validateSearch: (search: RawSearch): AttestSearch =>
    dropUndefined({
      name: readText(search.name),
      type: readText(search.type),
      fingerprint: readText(search.fingerprint),
      artifact: readText(search.artifact),
      control: readText(search.control),
    }),
  component: lazyRouteComponent(() => loadLater(() => import('./attest/attest-page.tsx')), 'AttestPage'),
})

const override = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/trails/$trail/override/$attestation_id',
  component: lazyRouteComponent(() => loadLater(() => import('./attest/override-page.tsx')), 'OverridePage'),
})

const approve = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/flows/$flow/trails/$trail/approve',
  component: lazyRouteComponent(() => loadLater(() => import('./attest/approve-page.tsx')), 'ApprovePage'),
})

export const flowsRoutes = [list, create, detail, trail, attest, override, approve] as const
