// The address of the search.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import { defined, type Typed, textOf } from '../../ui/search-params.ts'

export interface SearchSearch {
  q?: string
}

const results = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/search',
  validateSearch: (search: Typed): SearchSearch => defined({ q: textOf(search.q) }),
  component: lazyRouteComponent(() => import('./results.tsx'), 'SearchPage'),
})

export const searchRoutes = [results] as const
