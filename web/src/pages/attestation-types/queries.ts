// What the pages of attestation types ask the server for.
import { queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'

export const typesQuery = (org: string) =>
  queryOptions({
    queryKey: ['attestation types', org],
    queryFn: () => answered(api.GET('/custom-attestation-types/{org}', { params: { path: { org } } })),
  })

export const typeQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['attestation type', org, name],
    queryFn: () =>
      answered(api.GET('/custom-attestation-types/{org}/{name}', { params: { path: { org, name } } })),
  })
