// The query parameters of the environment pages.
import { PERIODS, type Period } from '../../parts/periods.ts'
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readDay,
  readPage,
  readSwitch,
  readText,
} from '../../ui/search-params.ts'
import type { Environment } from './answers.ts'

export const TABS = [
  'now',
  'timeline',
  'trends',
  'log',
  'compare',
  'allow-list',
  'policies',
  'settings',
] as const
export type Tab = (typeof TABS)[number]

export const STATES = ['compliant', 'non-compliant', 'unknown'] as const
/** An artifact is in one of `STATES`; an environment may also be stale. */
export const LIST_STATES = ['non-compliant', 'stale', 'unknown', 'compliant'] as const

export const LIST_ORDERS = ['compliance', 'name', 'last_changed_at'] as const

export const TYPES = [
  'K8S',
  'ECS',
  'S3',
  'lambda',
  'server',
  'docker',
  'cloudx-apps',
  'cloud-run',
  'logical',
] as const satisfies readonly Environment['type'][]

export interface EnvironmentListSearch {
  /** Part of the name. */
  name?: string
  type?: (typeof TYPES)[number]
  state?: (typeof LIST_STATES)[number]
  /** A key, or key:value. */
  tag?: string
  /** Shows archived environments instead of the others. */
  archived?: true
  sort?: (typeof LIST_ORDERS)[number]
  descending?: true
  page?: number
}

export interface EnvironmentSearch {
  tab?: Tab
  /** Part of an artifact's name. */
  artifact?: string
  state?: (typeof STATES)[number]
  page?: number
  /** For the trends. */
  period?: Period
  /** Days such as 2026-03-14, in the reader's time zone. */
  from?: string
  to?: string
  repo?: string
  oldest_first?: true
  /** The two sides of a comparison. */
  left?: string
  right?: string
  include_ended?: true
  /** Prefills the form that allows an artifact. */
  allow_name?: string
  allow_fingerprint?: string
}

export function parseEnvironmentSearch(search: RawSearch): EnvironmentSearch {
  return dropUndefined({
    tab: pickOne(search.tab, TABS),
    artifact: readText(search.artifact),
    state: pickOne(search.state, STATES),
    page: readPage(search.page),
    period: pickOne(search.period, PERIODS),
    from: readDay(search.from),
    to: readDay(search.to),
    repo: readText(search.repo),
    oldest_first: readSwitch(search.oldest_first),
    left: readText(search.left),
    right: readText(search.right),
    include_ended: readSwitch(search.include_ended),
    allow_name: readText(search.allow_name),
    allow_fingerprint: readText(search.allow_fingerprint),
  })
}
