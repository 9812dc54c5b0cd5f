// The query of the list of organizations.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'

export const orgStatesQuery = queryOptions({
  queryKey: ['organization states'],
  queryFn: () => unwrap(api.GET('/user/organizations')),
})
