// API queries of deployment trends.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { DEFAULT_PERIOD, resolvePeriod } from '../../parts/periods.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { TrendsSearch } from './search.ts'

export type DeploymentTrends = Schemas['DeploymentTrends']
export type TrendBucket = Schemas['DeploymentTrendBucket']

/** For one flow or, if omitted, for all of them. */
export const deploymentTrendsQuery = (org: string, search: TrendsSearch, flow_name?: string) =>
  queryOptions({
    queryKey: ['deployment trends', org, search, flow_name],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const { from, to, buckets } = resolvePeriod(search.period ?? DEFAULT_PERIOD)
      const names = dropUndefined({ flow_name, env_name: search.environment })
      return unwrap(
        api.GET('/deployment-trends/{org}', {
          params: {
            path: { org },
            query: { from: String(from), to: String(to), buckets, archived: true, ...names },
          },
        }),
      )
    },
  })
