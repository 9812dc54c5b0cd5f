// API queries for the history of an environment.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { PER_PAGE } from '../../parts/schemas.ts'
import { keepWithin } from './queries.ts'

/** A snapshot never changes, but names in it may. */
const SNAPSHOT_FRESH_MS = 60_000
const WHOLE_HISTORY_BUCKETS = 120
/** The API limit; less than 100 KB. */
const MAX_DEPLOYMENTS = 100

export interface ArtifactFilter {
  page?: number
  /** Part of the name, or the start of the fingerprint. */
  name?: string
  compliance?: 'compliant' | 'non-compliant' | 'unknown'
}

/** One page of the artifacts of a snapshot. */
export const snapshotArtifactsQuery = (
  org: string,
  env_name: string,
  snapshot_expression: string,
  filter: ArtifactFilter,
) =>
  queryOptions({
    queryKey: ['snapshot artifacts', org, env_name, snapshot_expression, filter],
    placeholderData: keepWithin(org, env_name),
    staleTime: SNAPSHOT_FRESH_MS,
    gcTime: SNAPSHOT_FRESH_MS,
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/snapshots/{org}/{env_name}/{snapshot_expression}/artifacts', {
          params: {
            path: { org, env_name, snapshot_expression },
            query: { ...filter, per_page: PER_PAGE, archived: true },
          },
          signal,
        }),
      ),
  })

/** `latest` is part of the key only: a new snapshot triggers a request, and the old timeline stays until it arrives. */
export const timelineQuery = (org: string, env_name: string, latest: number) =>
  queryOptions({
    queryKey: ['timeline', org, env_name, latest],
    placeholderData: keepWithin(org, env_name),
    staleTime: SNAPSHOT_FRESH_MS,
    queryFn: () =>
      unwrap(
        api.GET('/environments/{org}/{env_name}/timeline', {
          params: { path: { org, env_name }, query: { buckets: WHOLE_HISTORY_BUCKETS, archived: true } },
        }),
      ),
  })

export interface SnapshotWindow {
  first: number
  last: number
}

/** A range of snapshots by number, oldest first. */
export const snapshotWindowQuery = (org: string, env_name: string, { first, last }: SnapshotWindow) =>
  queryOptions({
    queryKey: ['snapshots', org, env_name, first, last],
    placeholderData: keepWithin(org, env_name),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/snapshots/{org}/{env_name}', {
          params: {
            path: { org, env_name },
            query: {
              interval: `${first}..${last}`,
              per_page: last - first + 1,
              reverse: true,
              archived: true,
            },
          },
          signal,
        }),
      ),
  })

export const deploymentsQuery = (org: string, env_name: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['deployments', org, env_name, from, to],
    placeholderData: keepWithin(org, env_name),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/environments/{org}/{env_name}/deployments', {
          params: {
            path: { org, env_name },
            query: { from: String(from), to: String(to), page_size: MAX_DEPLOYMENTS, archived: true },
          },
          signal,
        }),
      ),
  })

export const snapshotPageQuery = (org: string, env_name: string, page: number) =>
  queryOptions({
    queryKey: ['snapshot page', org, env_name, page],
    placeholderData: keepWithin(org, env_name),
    queryFn: () =>
      unwrap(
        api.GET('/snapshots/{org}/{env_name}', {
          params: { path: { org, env_name }, query: { page, per_page: PER_PAGE, archived: true } },
        }),
      ),
  })
