// The route tree. Each resource adds its own routes, and every page loads when it is first opened.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queries, sessionQuery } from './api.ts'
import { BASE_PATH } from './base-path.ts'
import { loadLater } from './live/load-later.ts'
import { loadFirst } from './load-first.ts'
import { artifactsRoutes } from './pages/artifacts/routes.ts'
import { attestationTypesRoutes } from './pages/attestation-types/routes.ts'
import { controlsRoutes } from './pages/controls/routes.ts'
import { decisionsRoutes } from './pages/decisions/routes.ts'
import { environmentRoutes } from './pages/environments/routes.ts'
import { flowsRoutes } from './pages/flows/routes.ts'
import { notificationsRoutes } from './pages/notifications/routes.ts'
import { peopleRoutes } from './pages/people/routes.ts'
import { policiesRoutes } from './pages/policies/routes.ts'
import { proofRoutes } from './pages/proof/routes.ts'
import { runningRoutes } from './pages/running/routes.ts'
import { searchRoutes } from './pages/search/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'
import { trendsRoutes } from './pages/trends/routes.ts'
import { rootRoute } from './root-route.tsx'

/** Redirects to the only shared org: most people have one besides their personal org. */
const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    const session = await queries.ensureQueryData(sessionQuery)
    const shared = session?.orgs.filter(({ name }) => name !== session.user) ?? []
    if (shared[0] && shared.length === 1) throw redirect({ to: '/$org', params: { org: shared[0].name } })
  },
  component: lazyRouteComponent(() => loadLater(() => import('./pages/home/home.tsx')), 'HomePage'),
})

const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org',
  loader: context => loadFirst('overview', context),
  component: lazyRouteComponent(
    () => loadLater(() => import('./pages/overview/overview.tsx')),
    'OverviewPage',
  ),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    overview,
    ...environmentRoutes,
    ...runningRoutes,
    ...trendsRoutes,
    ...flowsRoutes,
    ...artifactsRoutes,
    ...attestationTypesRoutes,
    ...policiesRoutes,
    ...controlsRoutes,
    ...decisionsRoutes,
    ...notificationsRoutes,
    ...peopleRoutes,
    ...proofRoutes,
    ...settingsRoutes,
    ...searchRoutes,
  ]),
  basepath: BASE_PATH || '/',
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
