// API queries of the environment pages, except for snapshots.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap, unwrapWithCount } from '../../api.ts'
import { expectPage } from '../../parts/queries.ts'
import { PER_PAGE } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { EnvironmentListSearch } from './search.ts'

/** Keeps the previous answer on the page until the next arrives, as long as it is about the same environment. */
export const keepWithin =
  (org: string, env_name: string) =>
  <T>(before: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    query?.queryKey[1] === org && query.queryKey[2] === env_name ? before : undefined

export const environmentQuery = (org: string, env_name: string) =>
  queryOptions({
    queryKey: ['environment', org, env_name],
    queryFn: () =>
      unwrap(
        api.GET('/environments/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { archived: true } },
        }),
      ),
  })

/** One page, non-compliant environments first, then stale and unknown ones; and how many archived ones match. */
export const environmentPageQuery = (org: string, search: EnvironmentListSearch, per_page: number) =>
  queryOptions({
    queryKey: ['environment page', org, search, per_page],
    queryFn: async () => {
      const { name, type, tag, state, archived, sort = 'compliance', descending, page = 1 } = search
      const query = {
        page,
        per_page,
        sort,
        ...(descending && { sort_direction: 'desc' as const }),
        ...dropUndefined({ name, compliance: state, archived }),
        ...(type && { type: [type] }),
        ...(tag && { tag: [tag] }),
      }
      const { answer, archived_count } = await unwrapWithCount(
        api.GET('/environments/{org}', { params: { path: { org }, query } }),
      )
      return { ...expectPage(answer), archived_count }
    },
  })

export interface EventFilter {
  page: number
  from?: number
  to?: number
  repo_name?: string[]
  reverse?: boolean
}

export const eventsQuery = (org: string, env_name: string, filter: EventFilter) =>
  queryOptions({
    queryKey: ['events', org, env_name, filter],
    placeholderData: keepWithin(org, env_name),
    queryFn: async () => {
      const request = api.GET('/environments/{org}/{env_name}/events', {
        params: { path: { org, env_name }, query: { ...filter, per_page: PER_PAGE, archived: true } },
      })
      const events = await unwrap(request)
      return { events, ...readPageCounts((await request).response) }
    },
  })

function readPageCounts({ headers }: Response) {
  return {
    total_pages: Number(headers.get('x-total-pages') ?? 1),
    total_count: Number(headers.get('x-total-count') ?? 0),
  }
}

export const diffQuery = (org: string, snappish1: string, snappish2: string) =>
  queryOptions({
    queryKey: ['env-diff', org, snappish1, snappish2],
    queryFn: () =>
      unwrap(
        api.GET('/env-diff/{org}', {
          params: { path: { org }, query: { snappish1, snappish2, archived: true } },
        }),
      ),
  })

export const allowListQuery = (org: string, env_name: string, include_ended: boolean) =>
  queryOptions({
    queryKey: ['allow-list', org, env_name, include_ended],
    queryFn: () =>
      unwrap(
        api.GET('/allowlists/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { include_ended, archived: true } },
        }),
      ),
  })
