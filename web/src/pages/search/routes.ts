// The route of the search page.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { rootRoute } from '../../root-route.tsx'
import { dropUndefined, type RawSearch, readText } from '../../ui/search-params.ts'

interface SearchSearch {
  q?: string
}

const results = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/search',
  validateSearch: (search: RawSearch): SearchSearch => dropUndefined({ q: readText(search.q) }),
  component: lazyRouteComponent(() => loadLater(() => import('./results.tsx')), 'SearchPage'),
})

export const searchRoutes = [results] as const
