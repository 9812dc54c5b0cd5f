// The current environment, snapshot, tab and filters, as given by the URL.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { dropUndefined, type Patch } from '../../ui/search-params.ts'
import type { ArtifactFilter } from './history-queries.ts'
import type { EnvironmentSearch } from './search.ts'

export interface Place {
  org: string
  environment: string
  /** Null for the latest snapshot. */
  expression: string | null
  search: EnvironmentSearch
}

export const getPathParams = ({ org, environment }: Place) => ({ path: { org, env_name: environment } })

const ROUTE = '/$org/environments/$environment'

export function usePlace(): Place {
  const { org, environment } = useParams({ from: ROUTE })
  const { expression = null } = useParams({ strict: false })
  return { org, environment, expression, search: useSearch({ from: ROUTE }) }
}

/** Changes the given parameters and keeps the rest; undefined removes one. A changed filter returns to the first page. */
export function useChangeSearch(): (change: Patch<EnvironmentSearch>) => void {
  const navigate = useNavigate()
  const { search, org, environment, expression } = usePlace()
  return change => {
    const given: EnvironmentSearch = dropUndefined({ ...search, page: undefined, ...change })
    if (expression === null)
      void navigate({ to: ROUTE, params: { org, environment }, search: given, replace: true })
    else
      void navigate({
        to: `${ROUTE}/snapshots/$expression`,
        params: { org, environment, expression },
        search: given,
        replace: true,
      })
  }
}

/** Opens a snapshot by number and keeps the filters. Moving between snapshots adds only one history entry. */
export function useGoToSnapshot(): (index: number) => void {
  const navigate = useNavigate()
  const { org, environment, expression, search } = usePlace()
  return index =>
    void navigate({
      to: `${ROUTE}/snapshots/$expression`,
      params: { org, environment, expression: String(index) },
      search: dropUndefined({ ...search, page: undefined }),
      replace: expression !== null,
      resetScroll: false,
    })
}

/** The filter for the artifacts of a snapshot. */
export function getArtifactFilter({ search }: Place): ArtifactFilter {
  return dropUndefined({ page: search.page, name: search.artifact, compliance: search.state })
}

/** The snapshot number of an expression; null if only the server can resolve it. */
export function resolveIndex(expression: string | null, latest: number): number | null {
  if (expression === null) return latest
  const behind = /^~(\d+)$/.exec(expression)
  if (behind) return latest - Number(behind[1])
  const absolute = /^#?(-?\d+)$/.exec(expression)
  if (!absolute) return null
  const number = Number(absolute[1])
  return number < 0 ? latest + 1 + number : number
}
