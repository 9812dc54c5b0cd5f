// API queries about where controls are met.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { dropUndefined } from '../../ui/search-params.ts'
import type { CellSearch, MatrixSearch } from './search.ts'

export type StateMatrix = Schemas['ControlStateMatrix']
export type StateCell = Schemas['ControlCell']
export type StateEvidence = Schemas['ControlStateEvidence']
export type StateHistory = Schemas['ControlStateHistory']

export const stateMatrixQuery = (org: string, { columns, ...search }: MatrixSearch) => {
  const query = dropUndefined({ ...search, environment_page: columns })
  return queryOptions({
    queryKey: ['controls', org, 'states', query],
    placeholderData: keepPreviousData,
    queryFn: () => unwrap(api.GET('/control-states/{org}', { params: { path: { org }, query } })),
  })
}

/** The cell on the current page. */
export interface CellPlace {
  org: string
  identifier: string
  environment: string
}

interface Place {
  org: string
  identifier: string
  env_name: string
}

export const stateEvidenceQuery = (path: Place, { outcome, page }: CellSearch) => {
  const query = dropUndefined({ outcome, page })
  return queryOptions({
    queryKey: ['controls', path.org, 'state', path.identifier, path.env_name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(api.GET('/controls/{org}/{identifier}/environments/{env_name}', { params: { path, query } })),
  })
}

export const stateHistoryQuery = (path: Place, before: number | undefined) => {
  const query = dropUndefined({ before })
  return queryOptions({
    queryKey: ['controls', path.org, 'state history', path.identifier, path.env_name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.GET('/controls/{org}/{identifier}/environments/{env_name}/history', { params: { path, query } }),
      ),
  })
}
