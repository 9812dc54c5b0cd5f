// Times on the command line: seconds since 1970, a date, or a date with a time. Without a zone, UTC.
import { failUsage } from '../program/problem.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/
const ZONED_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** Seconds since 1970. */
export function readTime(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const iso = text.replace(' ', 'T')
  const isLocal = LOCAL_TIME.test(text)
  const ms =
    DATE.test(text) || isLocal || ZONED_TIME.test(text) ? Date.parse(isLocal ? `${iso}Z` : iso) : Number.NaN
  if (Number.isNaN(ms))
    failUsage(`--${flag}: "${text}" is not a time`, 'Examples: 2026-06-04, 2026-06-04T15:04:05Z, 1780585445')
  return Math.floor(ms / 1000)
}
