// Times in UTC, parsed from text or counted back from a given time. The time zone of the machine does not matter.

export type TimeUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }
const WRITTEN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z?$/

// Accepts YYYY-MM-DDTHH:MM:SS with or without a trailing Z; always UTC.
export function parseUtcTime(text: string): Date | undefined {
  const written = WRITTEN.exec(text)?.[1]
  if (written === undefined) return undefined
  const time = toSupportedDate(new Date(`${written}Z`))
  // JavaScript rolls 30 February and hour 24 over into the next day; comparing the formatted time detects that.
  return time?.toISOString().startsWith(written) ? time : undefined
}

export function subtractTime(now: Date, amount: number, unit: TimeUnit): Date | undefined {
  if (unit === 'month') return toSupportedDate(subtractMonths(now, amount))
  if (unit === 'year') return toSupportedDate(subtractMonths(now, amount * 12))
  return toSupportedDate(new Date(now.getTime() - amount * UNIT_MS[unit]))
}

// 31 March minus one month is the last day of February.
function subtractMonths(now: Date, amount: number): Date {
  const months = now.getUTCFullYear() * 12 + now.getUTCMonth() - amount
  const year = Math.floor(months / 12)
  const month = months - year * 12
  const time = new Date(now)
  // Not Date.UTC: it maps the years 0 to 99 to 1900 to 1999.
  time.setUTCFullYear(year, month, Math.min(now.getUTCDate(), countDaysInMonth(year, month)))
  return time
}

function countDaysInMonth(year: number, month: number): number {
  const lastDay = new Date(0)
  lastDay.setUTCFullYear(year, month + 1, 0)
  return lastDay.getUTCDate()
}

// The database and ISO 8601 agree on years only from year 1 on.
function toSupportedDate(time: Date): Date | undefined {
  return time.getUTCFullYear() >= 1 ? time : undefined
}
