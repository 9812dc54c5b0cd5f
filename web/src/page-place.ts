// The input and the helpers of a page's loader.
import type { FetchQueryOptions } from '@tanstack/react-query'
import { queries } from './api.ts'
import type { Role } from './parts/use-role.ts'

/** Where a page is: its path parameters, and its search as the route has parsed it. */
export interface PagePlace {
  org: string
  role: Role
  params: Readonly<Record<string, string>>
  search: object
}

export type Load = (place: PagePlace) => Promise<unknown>[]

/** Requests only data that is not cached yet. */
export function need<T, E, D, K extends readonly unknown[]>(
  options: FetchQueryOptions<T, E, D, K>,
): Promise<D> {
  return queries.ensureQueryData(options)
}
