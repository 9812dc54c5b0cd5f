// The route of the log of an organization.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'

const proof = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/proof',
  loader: context => loadFirst('proof', context),
  component: lazyRouteComponent(() => loadLater(() => import('./proof.tsx')), 'ProofPage'),
})

export const proofRoutes = [proof] as const
