// How much processor time each organization used lately in long pieces of work: those are what others wait for. Short ones
// do not count, however many there are, because the turns between organizations keep them apart. What was used fades with
// time, so that one burst is soon forgiven.
import type { Clock } from '../lib/clock.ts'
import { putNewest } from '../lib/put-newest.ts'

const HALF_LIFE_MS = 60_000
/** Ordinary rules take some milliseconds. */
const LONG_WORK_MS = 100
/** Two programs that were stopped at their limit. */
const HEAVY_MS = 2_000
const MOST_ORGS = 10_000

interface Use {
  used_ms: number
  at_ms: number
}

export interface RecentUse {
  add(org_id: string, computed_ms: number): void
  /** It used so much lately that organizations which did not go first. */
  isHeavy(org_id: string): boolean
}

export function makeRecentUse(clock: Pick<Clock, 'monotonic_ms'>): RecentUse {
  const uses = new Map<string, Use>()
  const usedBy = (org_id: string): number => {
    const use = uses.get(org_id)
    return use ? use.used_ms * 0.5 ** ((clock.monotonic_ms() - use.at_ms) / HALF_LIFE_MS) : 0
  }
  return {
    add: (org_id, computed_ms) => {
      if (computed_ms < LONG_WORK_MS) return
      const used_ms = usedBy(org_id) + computed_ms
      putNewest(uses, org_id, { used_ms, at_ms: clock.monotonic_ms() }, MOST_ORGS)
    },
    isHeavy: org_id => usedBy(org_id) >= HEAVY_MS,
  }
}
