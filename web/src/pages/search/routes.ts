// The address of the search.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'

export interface SearchSearch {
  q?: string
}

const results = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/search',
  // The router reads `?q=12345` as a number, and a commit may begin like one.
  validateSearch: ({ q }: Record<string, unknown>): SearchSearch =>
    (typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {},
  component: lazyRouteComponent(() => import('./results.tsx'), 'SearchPage'),
})

export const searchRoutes = [results] as const
