// The route of the waiting decisions.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/waiting-decisions',
  loader: context => loadFirst('decisions', context),
  component: lazyRouteComponent(() => loadLater(() => import('./list.tsx')), 'WaitingDecisionsPage'),
})

export const decisionsRoutes = [list] as const
