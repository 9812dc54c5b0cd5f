// Where one is: the environment, the moment, and what the address says about the tab and its filters.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { dropUndefined, type Patch } from '../../ui/search-params.ts'
import type { ArtifactFilter } from './history-queries.ts'
import type { EnvironmentSearch } from './routes.ts'

export interface Place {
  org: string
  environment: string
  /** Null: now. */
  expression: string | null
  search: EnvironmentSearch
}

export const pathParams = ({ org, environment }: Place) => ({ path: { org, env_name: environment } })

const ROUTE = '/$org/environments/$environment'

export function usePlace(): Place {
  const { org, environment } = useParams({ from: ROUTE })
  const { expression = null } = useParams({ strict: false })
  return { org, environment, expression, search: useSearch({ from: ROUTE }) }
}

/** Changes what is given and keeps the rest; undefined takes away. A changed filter starts at the first page again. */
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

/** To a snapshot by its number, with the filters that are set. Going on from one to the next leaves one step behind. */
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

/** Which of the artifacts of a snapshot are asked for. */
export function artifactFilter({ search }: Place): ArtifactFilter {
  return dropUndefined({ page: search.page, name: search.artifact, compliance: search.state })
}

/** The number that an expression stands for, where that is plain; null where only the server can tell. */
export function indexOf(expression: string | null, latest: number): number | null {
  if (expression === null) return latest
  const behind = /^~(\d+)$/.exec(expression)
  if (behind) return latest - Number(behind[1])
  const counted = /^#?(-?\d+)$/.exec(expression)
  if (!counted) return null
  const number = Number(counted[1])
  return number < 0 ? latest + 1 + number : number
}
