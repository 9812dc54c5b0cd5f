// The query parameters of the matrix.
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readFlag,
  readPage,
  readText,
  readTexts,
} from '../../ui/search-params.ts'

export const CELL_STATES = ['compliant', 'non-compliant', 'unknown', 'stale'] as const
export type CellState = (typeof CELL_STATES)[number]

export interface RunningSearch {
  search?: string
  flow?: string
  repo?: string
  state?: CellState
  differs?: boolean
  environment?: string
  tag?: string[]
  page?: number
  /** The page of environments, which are the columns. */
  columns?: number
}

export function parseRunningSearch(typed: RawSearch): RunningSearch {
  return dropUndefined({
    search: readText(typed.search),
    flow: readText(typed.flow),
    repo: readText(typed.repo),
    state: pickOne(typed.state, CELL_STATES),
    differs: readFlag(typed.differs),
    environment: readText(typed.environment),
    tag: readTexts(typed.tag),
    page: readPage(typed.page),
    columns: readPage(typed.columns),
  })
}
