// The query parameters of the control pages.
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readCount,
  readDay,
  readFlag,
  readPage,
  readSwitch,
  readText,
  readTexts,
} from '../../ui/search-params.ts'

const DIRECTIONS = ['asc', 'desc'] as const
type SortDirection = (typeof DIRECTIONS)[number]

export interface ControlsSearch {
  search?: string
  tag?: string[]
  archived?: true
  sort_direction?: SortDirection
  page?: number
}

export const CONTROL_TABS = ['decisions', 'coverage', 'versions'] as const
type ControlTab = (typeof CONTROL_TABS)[number]

/** Each tab has its own filters; changing the tab drops them. */
export interface ControlSearch {
  tab?: ControlTab
  page?: number
  /** From here on: filters of the decisions. */
  is_compliant?: boolean
  flow_name?: string
  from?: string
  to?: string
  sort_direction?: SortDirection
  cursor?: string
  /** The open decision, by the id of its attestation. */
  decision?: string
  /** From here on: filters of the coverage. */
  search?: string
  covered?: boolean
}

export function parseControlsSearch(typed: RawSearch): ControlsSearch {
  return dropUndefined({
    search: readText(typed.search),
    tag: readTexts(typed.tag),
    archived: readSwitch(typed.archived),
    sort_direction: pickOne(typed.sort_direction, DIRECTIONS),
    page: readPage(typed.page),
  })
}

export function parseControlSearch(typed: RawSearch): ControlSearch {
  return dropUndefined({
    tab: pickOne(typed.tab, CONTROL_TABS),
    page: readPage(typed.page),
    is_compliant: readFlag(typed.is_compliant),
    flow_name: readText(typed.flow_name),
    from: readDay(typed.from),
    to: readDay(typed.to),
    sort_direction: pickOne(typed.sort_direction, DIRECTIONS),
    cursor: readText(typed.cursor),
    decision: readText(typed.decision),
    search: readText(typed.search),
    covered: readFlag(typed.covered),
  })
}

/** The subject of a decision. */
export interface DecideSearch {
  flow?: string
  trail?: string
  /** The name of an artifact of the trail. */
  fingerprint?: string
  /** The name of the attestation that records it. */
  attestation?: string
}

export function parseDecideSearch(typed: RawSearch): DecideSearch {
  return dropUndefined({
    flow: readText(typed.flow),
    trail: readText(typed.trail),
    fingerprint: readText(typed.fingerprint),
    attestation: readText(typed.attestation),
  })
}

/** Filters of the matrix of controls and environments. */
export interface MatrixSearch {
  search?: string
  environment?: string
  /** Each is a key or `key:value` of an environment. */
  tag?: string[]
  page?: number
  /** The page number of the environments. */
  columns?: number
}

export function parseMatrixSearch(typed: RawSearch): MatrixSearch {
  return dropUndefined({
    search: readText(typed.search),
    environment: readText(typed.environment),
    tag: readTexts(typed.tag),
    page: readPage(typed.page),
    columns: readPage(typed.columns),
  })
}

export const OUTCOMES = ['failing', 'expired', 'not-evaluated', 'met', 'not-applicable'] as const

export interface CellSearch {
  outcome?: (typeof OUTCOMES)[number]
  page?: number
  /** Shows the history before this snapshot. */
  before?: number
}

export function parseCellSearch(typed: RawSearch): CellSearch {
  return dropUndefined({
    outcome: pickOne(typed.outcome, OUTCOMES),
    page: readPage(typed.page),
    before: readCount(typed.before),
  })
}
