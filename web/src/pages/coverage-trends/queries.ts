// API queries of coverage over time.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { DEFAULT_PERIOD, resolvePeriod } from '../../parts/periods.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { TrendsSearch } from '../trends/search.ts'

export type CoverageTrends = Schemas['CoverageTrends']
export type CoverageBucket = Schemas['CoverageBucket']

/** For one environment or, if omitted, for all of them. */
export const coverageTrendsQuery = (org: string, { environment, period = DEFAULT_PERIOD }: TrendsSearch) =>
  queryOptions({
    queryKey: ['coverage trends', org, environment ?? null, period],
    // The page of an environment must not show the figures of another one.
    placeholderData: (
      before: CoverageTrends | undefined,
      query: { queryKey: readonly unknown[] } | undefined,
    ) => (query?.queryKey[1] === org && query.queryKey[2] === (environment ?? null) ? before : undefined),
    queryFn: () => {
      const { from, to, buckets } = resolvePeriod(period)
      const names = dropUndefined({ env_name: environment })
      return unwrap(
        api.GET('/coverage-trends/{org}', {
          params: {
            path: { org },
            query: { from: String(from), to: String(to), buckets, archived: true, ...names },
          },
        }),
      )
    },
  })
