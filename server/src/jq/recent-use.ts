// The recent processor time of the long tasks of each organization and sponsor, which make others wait. Short tasks do
// not count, however many there are, because sponsors take turns. The use decays, so that a single burst is soon
// forgotten.
import type { Clock } from '../lib/clock.ts'
import { putNewest } from '../lib/put-newest.ts'

const HALF_LIFE_MS = 60_000
/** Ordinary rules take some milliseconds. */
const LONG_WORK_MS = 100
/** As much as two programs that were stopped at their limit. */
const HEAVY_MS = 2_000
const MAX_USERS = 10_000

interface Use {
  used_ms: number
  at_ms: number
}

export interface RecentUse {
  add(user: string, computed_ms: number): void
  /** True if the user has used so much recently that others go first. */
  isHeavy(user: string): boolean
}

export function makeRecentUse(clock: Pick<Clock, 'monotonic_ms'>): RecentUse {
  const uses = new Map<string, Use>()
  const computeUse = (user: string): number => {
    const use = uses.get(user)
    return use ? use.used_ms * 0.5 ** ((clock.monotonic_ms() - use.at_ms) / HALF_LIFE_MS) : 0
  }
  return {
    add: (user, computed_ms) => {
      if (computed_ms < LONG_WORK_MS) return
      const used_ms = computeUse(user) + computed_ms
      putNewest(uses, user, { used_ms, at_ms: clock.monotonic_ms() }, MAX_USERS)
    },
    isHeavy: user => computeUse(user) >= HEAVY_MS,
  }
}
