// The tree of pages: each resource brings its own addresses, and every page is loaded when it is first opened.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queries, sessionQuery } from './api.ts'
import { artifactsRoutes } from './pages/artifacts/routes.ts'
import { controlsRoutes } from './pages/controls/routes.ts'
import { environmentRoutes } from './pages/environments/routes.ts'
import { flowsRoutes } from './pages/flows/routes.ts'
import { notificationsRoutes } from './pages/notifications/routes.ts'
import { peopleRoutes } from './pages/people/routes.ts'
import { policiesRoutes } from './pages/policies/routes.ts'
import { searchRoutes } from './pages/search/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'
import { rootRoute } from './root-route.tsx'
import { Empty } from './ui/states.tsx'

/** To the one org that most people have, or to the first of several. */
const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    const session = await queries.ensureQueryData(sessionQuery)
    const shared = session?.orgs.find(({ name }) => name !== session.user) ?? session?.orgs[0]
    if (shared) throw redirect({ to: '/$org', params: { org: shared.name } })
  },
  component: () => <Empty title="You are in no organization yet">Ask somebody to invite you.</Empty>,
})

const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org',
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    overview,
    ...environmentRoutes,
    ...flowsRoutes,
    ...artifactsRoutes,
    ...policiesRoutes,
    ...controlsRoutes,
    ...notificationsRoutes,
    ...peopleRoutes,
    ...settingsRoutes,
    ...searchRoutes,
  ]),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
