// What a loader of a page gets and does.
import type { FetchQueryOptions } from '@tanstack/react-query'
import { queries } from './api.ts'
import type { Role } from './parts/use-role.ts'

/** Where a page is: the parameters of its path, and its search as the route has read it. */
export interface PagePlace {
  org: string
  role: Role
  params: Readonly<Record<string, string>>
  search: object
}

export type Load = (place: PagePlace) => Promise<unknown>[]

/** Asks only for what is not there yet. */
export function need<T, E, D, K extends readonly unknown[]>(
  options: FetchQueryOptions<T, E, D, K>,
): Promise<D> {
  return queries.ensureQueryData(options)
}
