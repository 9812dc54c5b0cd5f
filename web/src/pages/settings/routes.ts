// The routes of the settings and of the user's profile. The profile is below an org because `profile` is not a reserved
// name: an org can have it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import { dropUndefined, type RawSearch, readText } from '../../ui/search-params.ts'

interface ServiceAccountsSearch {
  name?: string
}

const index = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings',
  component: lazyRouteComponent(() => loadLater(() => import('./overview.tsx')), 'SettingsPage'),
})

const organization = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/organization',
  loader: context => loadFirst('organization', context),
  component: lazyRouteComponent(() => loadLater(() => import('./organization.tsx')), 'OrganizationPage'),
})

const serviceAccounts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/service-accounts',
  validateSearch: (search: RawSearch): ServiceAccountsSearch =>
    dropUndefined({ name: readText(search.name) }),
  loader: context => loadFirst('serviceAccounts', context),
  component: lazyRouteComponent(
    () => loadLater(() => import('./service-accounts.tsx')),
    'ServiceAccountsPage',
  ),
})

const serviceAccount = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/service-accounts/$name',
  loader: context => loadFirst('serviceAccount', context),
  component: lazyRouteComponent(() => loadLater(() => import('./service-account.tsx')), 'ServiceAccountPage'),
})

const scimTokens = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/scim-tokens',
  loader: context => loadFirst('scimTokens', context),
  component: lazyRouteComponent(() => loadLater(() => import('./scim-tokens.tsx')), 'ScimTokensPage'),
})

const mailDomains = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/mail-domains',
  loader: context => loadFirst('mailDomains', context),
  component: lazyRouteComponent(() => loadLater(() => import('./mail-domains.tsx')), 'MailDomainsPage'),
})

const trustRules = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/trust-rules',
  loader: context => loadFirst('trustRules', context),
  component: lazyRouteComponent(() => loadLater(() => import('./trust-rules.tsx')), 'TrustRulesPage'),
})

/** Not below the rules, because a rule can be named `new`. */
const newTrustRule = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/new-trust-rule',
  component: lazyRouteComponent(() => loadLater(() => import('./trust-rule.tsx')), 'NewTrustRulePage'),
})

const trustRule = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/trust-rules/$name',
  component: lazyRouteComponent(() => loadLater(() => import('./trust-rule.tsx')), 'TrustRulePage'),
})

const profile = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/profile',
  component: lazyRouteComponent(() => loadLater(() => import('./profile.tsx')), 'ProfilePage'),
})

export const settingsRoutes = [
  index,
  organization,
  serviceAccounts,
  serviceAccount,
  scimTokens,
  mailDomains,
  trustRules,
  newTrustRule,
  trustRule,
  profile,
] as const
