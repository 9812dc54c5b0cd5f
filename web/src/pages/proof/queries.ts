// The query of the page about the log.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'

export const logStatusQuery = (org: string) =>
  queryOptions({
    queryKey: ['log status', org],
    queryFn: () => unwrap(api.GET('/log/{org}/status', { params: { path: { org } } })),
  })
