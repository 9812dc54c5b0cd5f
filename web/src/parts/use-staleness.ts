// Environments as they are now: one becomes stale even on an open page if its reports stop.
import { useClock } from './use-clock.ts'

/** Stale after this many expected intervals without a report, as on the server. */
const MISSED_INTERVALS = 3

interface Reporting {
  type: string
  is_stale: boolean
  archived: boolean
  last_reported_at: number | null
  expected_report_interval: number | null
  stale_since: number | null
}

function isStaleAt(environment: Reporting, now_s: number): boolean {
  const { is_stale, archived, type } = environment
  if (is_stale || archived || type === 'logical') return is_stale
  const stale_at = computeStaleTime(environment)
  return stale_at !== null && now_s >= stale_at
}

/** When it becomes stale without another report; null if never. */
function computeStaleTime({ last_reported_at, expected_report_interval }: Reporting): number | null {
  if (last_reported_at === null || expected_report_interval === null) return null
  return last_reported_at + MISSED_INTERVALS * expected_report_interval
}

/** The same environments in the same order, with `is_stale` as of now. */
export function useStaleness<E extends Reporting>(environments: readonly E[]): E[] {
  const stale = useClock(now_ms => environments.map(each => Number(isStaleAt(each, now_ms / 1000))).join(''))
  return environments.map((each, i) => {
    const is_stale = stale[i] === '1'
    if (is_stale === each.is_stale) return each
    return { ...each, is_stale, stale_since: computeStaleTime(each) }
  })
}

export function useStalenessOf<E extends Reporting>(environment: E): E {
  const [now = environment] = useStaleness([environment])
  return now
}
