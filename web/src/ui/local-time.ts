// Shows times, and converts between seconds since 1970 and the values of date and time fields: in the reader's time zone,
// or in UTC for readers who want that.

export type TimeZone = 'local' | 'utc'

const MINUTE_MS = 60_000
/** The lengths of `2026-03-03` and `2026-03-03T12:00` in `2026-03-03T12:00:00.000Z`. */
const DAY_LENGTH = 10
const MINUTE_LENGTH = 16

/** To the second, and always with the zone. */
export function formatExact(at: number, zone: TimeZone): string {
  return new Date(at * 1000).toLocaleString(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  })
}

export function formatDay(at: number, zone: TimeZone): string {
  return new Date(at * 1000).toLocaleDateString(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  })
}

/** For a `datetime-local` field. */
export function formatMinuteField(at: number | undefined, zone: TimeZone = 'local'): string {
  if (at === undefined) return ''
  const date = new Date(at * 1000)
  return (zone === 'utc' ? date.toISOString() : toLocalIso(date)).slice(0, MINUTE_LENGTH)
}

/** For a `date` field. */
export function formatDayField(at: number | undefined): string {
  return at === undefined ? '' : toLocalIso(new Date(at * 1000)).slice(0, DAY_LENGTH)
}

/** The day that is `days` days from today. */
export function formatFutureDay(days: number): string {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return toLocalIso(date).slice(0, DAY_LENGTH)
}

/** Undefined for anything that is not a time, such as an empty field. */
export function parseTime(field: string, zone: TimeZone = 'local'): number | undefined {
  const at_ms = new Date(zone === 'utc' ? `${field}Z` : field).getTime()
  return Number.isNaN(at_ms) ? undefined : Math.floor(at_ms / 1000)
}

export const getDayStart = (day: string) => parseTime(`${day}T00:00:00`)
export const getDayEnd = (day: string) => parseTime(`${day}T23:59:59`)

function toLocalIso(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString()
}
