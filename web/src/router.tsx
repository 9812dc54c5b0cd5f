// The whole tree of pages, with what each takes from its address.
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { queries, sessionQuery } from './api.ts'
import { EnvironmentPage } from './pages/environments/detail.tsx'
import { EnvironmentsPage } from './pages/environments/list.tsx'
import { SnapshotPage } from './pages/environments/snapshot.tsx'
import { OverviewPage } from './pages/overview/overview.tsx'
import { Shell } from './shell.tsx'
import { Empty } from './ui/states.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title="There is nothing at this address" />,
})

/** To the one org that most people have, or to the first of several. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const session = await queries.ensureQueryData(sessionQuery)
    const shared = session?.orgs.find(({ name }) => name !== session.user) ?? session?.orgs[0]
    if (shared) throw redirect({ to: '/$org', params: { org: shared.name } })
  },
  component: () => <Empty title="You are in no organization yet">Ask somebody to invite you.</Empty>,
})

const overview = createRoute({ getParentRoute: () => root, path: '/$org', component: OverviewPage })

export interface EnvironmentSearch {
  name?: string
}

const environments = createRoute({
  getParentRoute: () => root,
  path: '/$org/environments',
  validateSearch: (search: Record<string, unknown>): EnvironmentSearch =>
    typeof search.name === 'string' && search.name !== '' ? { name: search.name } : {},
  component: EnvironmentsPage,
})

const environment = createRoute({
  getParentRoute: () => root,
  path: '/$org/environments/$environment',
  component: EnvironmentPage,
})

const snapshot = createRoute({
  getParentRoute: () => root,
  path: '/$org/environments/$environment/snapshots/$expression',
  component: SnapshotPage,
})

export const router = createRouter({
  routeTree: root.addChildren([home, overview, environments, environment, snapshot]),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
