// Converts between seconds since 1970 and the values of date and time fields, in the reader's time zone.

const MINUTE_MS = 60_000
/** The lengths of `2026-03-03` and `2026-03-03T12:00` in `2026-03-03T12:00:00.000Z`. */
const DAY_LENGTH = 10
const MINUTE_LENGTH = 16

/** For a `datetime-local` field. */
export function formatMinuteField(at: number | undefined): string {
  return at === undefined ? '' : toLocalIso(new Date(at * 1000)).slice(0, MINUTE_LENGTH)
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
export function parseTime(field: string): number | undefined {
  const at_ms = new Date(field).getTime()
  return Number.isNaN(at_ms) ? undefined : Math.floor(at_ms / 1000)
}

export const getDayStart = (day: string) => parseTime(`${day}T00:00:00`)
export const getDayEnd = (day: string) => parseTime(`${day}T23:59:59`)

function toLocalIso(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString()
}
