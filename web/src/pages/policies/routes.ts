// The addresses of policies. A new one is made outside of `/policies`, so that a policy may be called `new`.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'

export interface PoliciesSearch {
  name?: string
}

/** The two versions that are compared. */
export interface PolicySearch {
  from?: number
  to?: number
}

const versionOf = (given: unknown) =>
  typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : undefined

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies',
  validateSearch: ({ name }: Record<string, unknown>): PoliciesSearch =>
    (typeof name === 'string' && name !== '') || typeof name === 'number' ? { name: String(name) } : {},
  component: lazyRouteComponent(() => import('./list.tsx'), 'PoliciesPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/new-policy',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'NewPolicyPage'),
})

const detail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies/$policy',
  validateSearch: (search: Record<string, unknown>): PolicySearch => {
    const from = versionOf(search.from)
    const to = versionOf(search.to)
    return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  },
  component: lazyRouteComponent(() => import('./detail.tsx'), 'PolicyPage'),
})

const edit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/policies/$policy/edit',
  component: lazyRouteComponent(() => import('./edit.tsx'), 'EditPolicyPage'),
})

export const policiesRoutes = [list, create, detail, edit] as const
