// Parses times as tools write them.

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether the text is a date and time with a zone, on a day that exists. */
export function isRfc3339(text: string): boolean {
  const match = RFC_3339.exec(text.toUpperCase())
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= countDays(year, month)
}

/** Day 0 of the next month is the last of this one. */
const countDays = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?$/

/** Whole seconds since 1970; a time without a zone is UTC. undefined if the text is not a valid time. */
export function parseEpochSeconds(text: string): number | undefined {
  const trimmed = text.trim()
  const local = LOCAL.test(trimmed) ? `${trimmed.replace(' ', 'T').replace(',', '.')}Z` : trimmed
  const zoned = local.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
  return isRfc3339(zoned) ? Math.floor(Date.parse(zoned.toUpperCase()) / 1000) : undefined
}
