// Between seconds since 1970 and what the fields for days and times hold, in the zone of whoever reads and types.

const MINUTE_MS = 60_000
/** `2026-03-03` and `2026-03-03T12:00` of `2026-03-03T12:00:00.000Z`. */
const TO_THE_DAY = 10
const TO_THE_MINUTE = 16

/** For a `datetime-local` field. */
export function formatMinuteField(at: number | undefined): string {
  return at === undefined ? '' : toLocalIso(new Date(at * 1000)).slice(0, TO_THE_MINUTE)
}

/** For a `date` field. */
export function formatDayField(at: number | undefined): string {
  return at === undefined ? '' : toLocalIso(new Date(at * 1000)).slice(0, TO_THE_DAY)
}

/** So many days from today. */
export function formatFutureDay(days: number): string {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return toLocalIso(date).slice(0, TO_THE_DAY)
}

/** Undefined for what is no time, such as an empty field. */
export function parseTime(field: string): number | undefined {
  const at_ms = new Date(field).getTime()
  return Number.isNaN(at_ms) ? undefined : Math.floor(at_ms / 1000)
}

export const getDayStart = (day: string) => parseTime(`${day}T00:00:00`)
export const getDayEnd = (day: string) => parseTime(`${day}T23:59:59`)

function toLocalIso(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString()
}
