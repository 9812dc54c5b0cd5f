// What the pages of environments ask the server for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api } from '../../api.ts'
import { PER_PAGE } from '../../parts/schemas.ts'

const LIVE_MS = 15_000
/** The most that the server gives at once; under 100 KB. */
const MARKED_DEPLOYMENTS = 100

export const environmentQuery = (org: string, env_name: string) =>
  queryOptions({
    queryKey: ['environment', org, env_name],
    refetchInterval: LIVE_MS,
    queryFn: () =>
      answered(api.GET('/environments/{org}/{env_name}', { params: { path: { org, env_name } } })),
  })

export const snapshotQuery = (org: string, env_name: string, snapshot_expression: string) =>
  queryOptions({
    queryKey: ['snapshot', org, env_name, snapshot_expression],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answered(
        api.GET('/snapshots/{org}/{env_name}/{snapshot_expression}', {
          params: { path: { org, env_name, snapshot_expression } },
          signal,
        }),
      ),
  })

export interface SnapshotWindow {
  first: number
  last: number
}

/** The snapshots from one number to another, oldest first. */
export const snapshotWindowQuery = (org: string, env_name: string, { first, last }: SnapshotWindow) =>
  queryOptions({
    queryKey: ['snapshots', org, env_name, first, last],
    placeholderData: keepPreviousData,
    queryFn: () =>
      answered(
        api.GET('/snapshots/{org}/{env_name}', {
          params: {
            path: { org, env_name },
            query: { interval: `${first}..${last}`, per_page: last - first + 1, reverse: true },
          },
        }),
      ),
  })

/** Newest first. */
export const latestSnapshotsQuery = (org: string, env_name: string, per_page: number) =>
  queryOptions({
    queryKey: ['latest snapshots', org, env_name, per_page],
    queryFn: () =>
      answered(
        api.GET('/snapshots/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { per_page } },
        }),
      ),
  })

export const deploymentsQuery = (org: string, env_name: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['deployments', org, env_name, from, to],
    placeholderData: keepPreviousData,
    queryFn: () =>
      answered(
        api.GET('/environments/{org}/{env_name}/deployments', {
          params: {
            path: { org, env_name },
            query: { from: String(from), to: String(to), page_size: MARKED_DEPLOYMENTS },
          },
        }),
      ),
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
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const request = api.GET('/environments/{org}/{env_name}/events', {
        params: { path: { org, env_name }, query: { ...filter, per_page: PER_PAGE } },
      })
      const events = await answered(request)
      return { events, ...pagesOf((await request).response) }
    },
  })

export const snapshotPageQuery = (org: string, env_name: string, page: number) =>
  queryOptions({
    queryKey: ['snapshot page', org, env_name, page],
    placeholderData: keepPreviousData,
    queryFn: () =>
      answered(
        api.GET('/snapshots/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { page, per_page: PER_PAGE } },
        }),
      ),
  })

function pagesOf({ headers }: Response) {
  return {
    total_pages: Number(headers.get('x-total-pages') ?? 1),
    total_count: Number(headers.get('x-total-count') ?? 0),
  }
}

export const diffQuery = (org: string, snappish1: string, snappish2: string) =>
  queryOptions({
    queryKey: ['env-diff', org, snappish1, snappish2],
    queryFn: () =>
      answered(api.GET('/env-diff/{org}', { params: { path: { org }, query: { snappish1, snappish2 } } })),
  })

export const allowListQuery = (org: string, env_name: string, include_ended: boolean) =>
  queryOptions({
    queryKey: ['allow-list', org, env_name, include_ended],
    queryFn: () =>
      answered(
        api.GET('/allowlists/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { include_ended } },
        }),
      ),
  })
