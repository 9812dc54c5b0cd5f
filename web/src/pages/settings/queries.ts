// Queries of the settings pages.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { expectList } from '../../parts/queries.ts'

export const serviceAccountQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['service-accounts', org, name],
    queryFn: () => unwrap(api.GET('/service-accounts/{org}/{name}', { params: { path: { org, name } } })),
  })

/** All members, for pickers. */
export const membersQuery = (org: string) =>
  queryOptions({
    queryKey: ['members', org, 'all'],
    queryFn: async () => expectList(await unwrap(api.GET('/members/{org}', { params: { path: { org } } }))),
  })

export const sessionsQuery = queryOptions({
  queryKey: ['user-sessions'],
  queryFn: () => unwrap(api.GET('/user/sessions')),
})

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => unwrap(api.GET('/user/profile')),
})

export const defaultOrgQuery = queryOptions({
  queryKey: ['default-org'],
  queryFn: () => unwrap(api.GET('/user/default-org')),
})

export const mailDomainsQuery = (org: string) =>
  queryOptions({
    queryKey: ['mail-domains', org],
    queryFn: () => unwrap(api.GET('/mail-domains/{org}', { params: { path: { org } } })),
  })

export const usageQuery = (org: string) =>
  queryOptions({
    queryKey: ['usage', org],
    queryFn: () => unwrap(api.GET('/organizations/{org}/usage', { params: { path: { org } } })),
  })

export const trustRulesQuery = (org: string) =>
  queryOptions({
    queryKey: ['trust-rules', org],
    queryFn: () => unwrap(api.GET('/trust-rules/{org}', { params: { path: { org } } })),
  })

export const trustRuleQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['trust-rules', org, name],
    queryFn: () => unwrap(api.GET('/trust-rules/{org}/{name}', { params: { path: { org, name } } })),
  })
