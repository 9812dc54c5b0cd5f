// What the pages of more than one resource ask the server for.
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../api.ts'

export const environmentsQuery = (org: string) =>
  queryOptions({
    queryKey: ['environments', org],
    queryFn: async () => {
      const answer = await answered(api.GET('/environments/{org}', { params: { path: { org } } }))
      return Array.isArray(answer) ? answer : answer.environments
    },
  })

export const policiesQuery = (org: string) =>
  queryOptions({
    queryKey: ['policies', org],
    queryFn: () => answered(api.GET('/policies/{org}', { params: { path: { org } } })),
  })

export const organizationQuery = (org: string) =>
  queryOptions({
    queryKey: ['organization', org],
    queryFn: () => answered(api.GET('/organizations/{org}', { params: { path: { org } } })),
  })
