// Parses the `Retry-After` header (RFC 9110): seconds or a date.

/** Longer delays are shortened to a day. */
const MAX_SECONDS = 86_400
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? ''
  if (/^\d{1,20}$/.test(value)) return Math.min(Number(value), MAX_SECONDS)
  if (!HTTP_DATE.test(value)) return null
  const seconds = Math.ceil((Date.parse(value) - now.getTime()) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), MAX_SECONDS)
}
