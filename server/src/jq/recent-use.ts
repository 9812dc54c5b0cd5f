// The recent processor time of each organization's long tasks, which make others wait. Short tasks do not count,
// however many there are, because organizations take turns. The use decays, so that a single burst is soon forgotten.
import type { Clock } from '../lib/clock.ts'
import { putNewest } from '../lib/put-newest.ts'

const HALF_LIFE_MS = 60_000
/** Ordinary rules take some milliseconds. */
const LONG_WORK_MS = 100
/** As much as two programs that were stopped at their limit. */
const HEAVY_MS = 2_000
const MAX_ORGS = 10_000

interface Use {
  used_ms: number
  at_ms: number
}

export interface RecentUse {
  add(org_id: string, computed_ms: number): void
  /** True if the organization used so much recently that others go first. */
  isHeavy(org_id: string): boolean
}

export function makeRecentUse(clock: Pick<Clock, 'monotonic_ms'>): RecentUse {
  const uses = new Map<string, Use>()
  const computeUse = (org_id: string): number => {
    const use = uses.get(org_id)
    return use ? use.used_ms * 0.5 ** ((clock.monotonic_ms() - use.at_ms) / HALF_LIFE_MS) : 0
  }
  return {
    add: (org_id, computed_ms) => {
      if (computed_ms < LONG_WORK_MS) return
      const used_ms = computeUse(org_id) + computed_ms
      putNewest(uses, org_id, { used_ms, at_ms: clock.monotonic_ms() }, MAX_ORGS)
    },
    isHeavy: org_id => computeUse(org_id) >= HEAVY_MS,
  }
}
