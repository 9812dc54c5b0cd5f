// API queries of the matrix.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { buildApiPath } from '../../parts/curl.ts'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import type { RunningSearch } from './search.ts'

export type Matrix = Schemas['RunningMatrix']
export type RunningArtifact = Schemas['RunningArtifact']
export type MatrixCell = Schemas['RunningVersion']

/** More columns than this are slow to draw and hard to read. */
const ENVIRONMENTS_PER_PAGE = 20

export const runningMatrixQuery = (org: string, { page = 1, columns = 1, ...filter }: RunningSearch) =>
  queryOptions({
    queryKey: ['running matrix', org, filter, page, columns],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const query = {
        ...filter,
        page,
        per_page: PER_PAGE,
        environment_page: columns,
        environment_per_page: ENVIRONMENTS_PER_PAGE,
      }
      return unwrap(api.GET('/running/{org}', { params: { path: { org }, query } }))
    },
  })

/** The address of the file with everything that matches the filter. */
export function buildCsvUrl(org: string, { page, columns, ...filter }: RunningSearch): string {
  const pairs = Object.entries(filter).flatMap(([name, value]) =>
    [value].flat().map(each => [name, String(each)]),
  )
  return `${buildApiPath('running', org, 'csv')}?${new URLSearchParams(pairs)}`
}
