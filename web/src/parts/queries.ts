// Queries shared by pages of several resources.
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, api, unwrap } from '../api.ts'
import { partsTexts as texts } from './texts.ts'

/** Some operations return the whole list, or a page if the request asks for one. This expects a page. */
export function expectPage<Answer extends object>(answer: Answer): Exclude<Answer, readonly unknown[]> {
  if (Array.isArray(answer)) throw new ApiProblem(200, texts.answers.withoutPages)
  return answer as Exclude<Answer, readonly unknown[]>
}

/** This expects the whole list. */
export function expectList<Answer extends object>(answer: Answer): Extract<Answer, readonly unknown[]> {
  if (!Array.isArray(answer)) throw new ApiProblem(200, texts.answers.withPages)
  return answer as Extract<Answer, readonly unknown[]>
}

export const environmentsQuery = (org: string) =>
  queryOptions({
    queryKey: ['environments', org],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/environments/{org}', { params: { path: { org } } }))
      return Array.isArray(answer) ? answer : answer.environments
    },
  })

/** The built-in attestation types. They change only with the service's version. */
export const builtInTypesQuery = queryOptions({
  queryKey: ['built-in attestation types'],
  queryFn: () => unwrap(api.GET('/schemas/attestation-types/v1')),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The names of all flows, for pickers. */
export const flowNamesQuery = (org: string) =>
  queryOptions({
    queryKey: ['flows', org, 'names'],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/flows/{org}', { params: { path: { org } } }))
      return (Array.isArray(answer) ? answer : answer.data).map(({ name }) => name)
    },
  })

/** All policies with all their versions, for pickers and comparisons. */
export const policiesQuery = (org: string) =>
  queryOptions({
    queryKey: ['policies', org],
    queryFn: async () => expectList(await unwrap(api.GET('/policies/{org}', { params: { path: { org } } }))),
  })

export const organizationQuery = (org: string) =>
  queryOptions({
    queryKey: ['organization', org],
    queryFn: () => unwrap(api.GET('/organizations/{org}', { params: { path: { org } } })),
  })

/** Identifies a leaf of the log: an attestation, an artifact report, a trail or a snapshot. */
export type LeafName =
  | { attestation: string }
  | { report: string }
  | { flow: string; trail: string }
  | { environment: string; snapshot: number }

export const logPlaceQuery = (org: string, query: LeafName) =>
  queryOptions({
    queryKey: ['log place', org, query],
    queryFn: () => unwrap(api.GET('/log/{org}/leaf', { params: { path: { org }, query } })),
  })

export const serviceAccountsQuery = (org: string) =>
  queryOptions({
    queryKey: ['service-accounts', org],
    queryFn: () => unwrap(api.GET('/service-accounts/{org}', { params: { path: { org } } })),
  })

export const scimTokensQuery = (org: string) =>
  queryOptions({
    queryKey: ['scim-tokens', org],
    queryFn: () => unwrap(api.GET('/scim-tokens/{org}', { params: { path: { org } } })),
  })
