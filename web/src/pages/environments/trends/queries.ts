// API queries of the trends of an environment.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../../api.ts'
import { type Period, resolvePeriod } from '../../../parts/periods.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { keepWithin } from '../queries.ts'

export type PolicyChange = Schemas['PolicyChange']

/** The compliance in a period and the policy changes in it, both as of the same time. */
export const environmentTrendsQuery = (org: string, env_name: string, period: Period) =>
  queryOptions({
    queryKey: ['environment trends', org, env_name, period],
    placeholderData: keepWithin(org, env_name),
    queryFn: async ({ signal }) => {
      const { buckets, ...range } = resolvePeriod(period)
      const path = { org, env_name }
      const [timeline, policies] = await Promise.all([
        unwrap(
          api.GET('/environments/{org}/{env_name}/timeline', {
            params: { path, query: { ...range, buckets, archived: true } },
            signal,
          }),
        ),
        unwrap(
          api.GET('/environments/{org}/{env_name}/policy-changes', {
            params: { path, query: { ...range, archived: true } },
            signal,
          }),
        ),
      ])
      return { timeline, policies }
    },
  })
