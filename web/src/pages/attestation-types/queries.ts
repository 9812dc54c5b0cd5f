// API queries of the pages of custom attestation types.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap, unwrapWithCount } from '../../api.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { TypesSearch } from './search.ts'

/** All archived types, or all others and the number of archived ones. */
export const typesQuery = (org: string, { archived }: TypesSearch) =>
  queryOptions({
    queryKey: ['attestation types', org, archived],
    queryFn: async () => {
      const query = dropUndefined({ archived })
      const { answer, archived_count } = await unwrapWithCount(
        api.GET('/custom-attestation-types/{org}', { params: { path: { org }, query } }),
      )
      return { types: answer, archived_count }
    },
  })

export const typeQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['attestation type', org, name],
    queryFn: () =>
      unwrap(
        api.GET('/custom-attestation-types/{org}/{name}', {
          params: { path: { org, name }, query: { archived: true } },
        }),
      ),
  })
