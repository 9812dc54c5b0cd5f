// The processor time of each organization in the last hour, by minute, in this process.
import type { Clock } from '../lib/clock.ts'
import { putNewest } from '../lib/put-newest.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
const MAX_ORGS = 10_000

interface Minute {
  minute: number
  used_ms: number
}

export interface HourlyUse {
  add(org_id: string, computed_ms: number): void
  used_ms(org_id: string): number
  /** Seconds until the last hour's use falls below the limit; 0 if it already is. */
  secondsUntilBelow(org_id: string, limit_ms: number): number
}

export function makeHourlyUse(clock: Pick<Clock, 'monotonic_ms'>): HourlyUse {
  const uses = new Map<string, Minute[]>()
  const getCurrentMinute = () => Math.floor(clock.monotonic_ms() / MINUTE_MS)
  const listLastHour = (org_id: string): Minute[] =>
    (uses.get(org_id) ?? []).filter(({ minute }) => minute > getCurrentMinute() - MINUTES)
  return {
    add: (org_id, computed_ms) => {
      if (computed_ms <= 0) return
      const kept = listLastHour(org_id)
      const last = kept.at(-1)
      if (last?.minute === getCurrentMinute()) last.used_ms += computed_ms
      else kept.push({ minute: getCurrentMinute(), used_ms: computed_ms })
      putNewest(uses, org_id, kept, MAX_ORGS)
    },
    used_ms: org_id => sumMinutes(listLastHour(org_id)),
    secondsUntilBelow: (org_id, limit_ms) => {
      const minutes = listLastHour(org_id)
      let left_ms = sumMinutes(minutes)
      if (left_ms < limit_ms) return 0
      for (const { minute, used_ms } of minutes) {
        left_ms -= used_ms
        if (left_ms < limit_ms)
          return Math.max(1, Math.ceil(((minute + MINUTES) * MINUTE_MS - clock.monotonic_ms()) / 1000))
      }
      // With a limit of 0 that never happens; callers may try again in an hour.
      return (MINUTES * MINUTE_MS) / 1000
    },
  }
}

function sumMinutes(minutes: readonly Minute[]): number {
  return minutes.reduce((sum, { used_ms }) => sum + used_ms, 0)
}
