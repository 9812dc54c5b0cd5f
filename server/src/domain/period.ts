// Time periods in queries: times in ISO 8601 or epoch seconds, with a default length if an end is omitted. All in
// UTC.

export interface Period {
  from: Date
  to: Date
}

const DAY_MS = 86_400_000
/** The last second of the year 9999. */
export const MAX_EPOCH_SECONDS = 253_402_300_799
const SECONDS = /^\d{1,12}(\.\d{1,9})?$/
// An unescaped plus sign in a URL arrives as a space.
const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d)?)?$/

/** `2026-03-01`, `2026-03-01T12:30:00+02:00` or `1772539200.5`; UTC by default. */
export function parseInstant(text: string): Date | undefined {
  if (SECONDS.test(text)) return Number(text) <= MAX_EPOCH_SECONDS ? new Date(Number(text) * 1000) : undefined
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = ISO.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const time = new Date(`${day}T${minutes}${seconds}${zone.replace(' ', '+')}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** The end defaults to now, the start to the given number of days before the end. */
export function resolvePeriod(
  given: { from: Date | undefined; to: Date | undefined },
  default_days: number,
  now: Date,
): Period {
  const to = given.to ?? now
  return { from: given.from ?? new Date(to.getTime() - default_days * DAY_MS), to }
}

/** Every day of the period, as `2026-03-01`. */
export function listDays({ from, to }: Period): string[] {
  const days: string[] = []
  for (let ms = Math.floor(from.getTime() / DAY_MS) * DAY_MS; ms <= to.getTime(); ms += DAY_MS) {
    days.push(formatDay(new Date(ms)))
  }
  return days
}

/** How often something happened per day, including the days without any. */
export function computeFrequency(period: Period, days: readonly { day: string; count: number }[]) {
  const counted = new Map(days.map(({ day, count }) => [day, count]))
  const per_day = listDays(period).map(date => ({ date, count: counted.get(date) ?? 0 }))
  return {
    total: days.reduce((total, { count }) => total + count, 0),
    per_day,
    median_per_day: computeMedian(per_day.map(({ count }) => count)),
  }
}

export function formatDay(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

export function computeLengthInDays({ from, to }: Period): number {
  return (to.getTime() - from.getTime()) / DAY_MS
}

/** For an even number of values, the mean of the middle two; 0 for none. */
export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** JavaScript rolls 30 February over into March; comparing the formatted day detects that. */
function isDay(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.getUTCFullYear() >= 1 && formatDay(time) === day
}
