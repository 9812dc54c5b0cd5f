// The routes of custom attestation types.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import { dropUndefined, type RawSearch, readCount, readSwitch } from '../../ui/search-params.ts'
import type { TypeSearch, TypesSearch } from './search.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/attestation-types',
  validateSearch: (search: RawSearch): TypesSearch =>
    dropUndefined({ archived: readSwitch(search.archived) }),
  loader: context => loadFirst('attestationTypes', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'AttestationTypesPage'),
})

/** Outside `/attestation-types`, so that no name can clash with it. */
const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-attestation-type',
  component: lazyRouteComponent(() => loadLater(() => import('./new-type.tsx')), 'NewAttestationTypePage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/attestation-types/$name',
  validateSearch: (search: RawSearch): TypeSearch => dropUndefined({ version: readCount(search.version) }),
  loader: context => loadFirst('attestationType', context),
  component: lazyRouteComponent(() => loadLater(() => import('./detail.tsx')), 'AttestationTypePage'),
})

export const attestationTypesRoutes = [list, create, detail] as const
