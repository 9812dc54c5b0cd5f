// The period of a query: the parameters `from` and `to`, their defaults and their validation.
import { Type } from 'typebox'
import { computeLengthInDays, type Period, parseInstant, resolvePeriod } from '../../domain/period.ts'
import { splitIntoBuckets } from '../../domain/snapshot/buckets.ts'
import { type AppError, invalid } from '../../lib/errors.ts'
import { about } from './wire.ts'

const DEFAULT_PERIOD_DAYS = 30
export const MAX_TREND_DAYS = 366

export const From = Type.Optional(
  Type.String({
    description: `Start of the period, in ISO 8601 or epoch seconds. Defaults to ${DEFAULT_PERIOD_DAYS} days before its end`,
  }),
)
export const To = Type.Optional(
  Type.String(
    about('End of the period, in ISO 8601 or epoch seconds. Defaults to now', '2026-03-31T18:00:00Z'),
  ),
)

const DEFAULT_BUCKETS = 30
/** For responses that divide the period. */
export const Buckets = (maximum: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum,
      description: `Number of buckets; defaults to ${DEFAULT_BUCKETS}. No bucket is shorter than a second`,
    }),
  )

/** The period between `from` and `to`. Throws a 400 if it is not valid. */
export function readPeriod(query: { from?: string; to?: string }, now: Date): Period {
  const [from, to] = [readInstant(query.from, 'from'), readInstant(query.to, 'to')]
  return requireOrder(resolvePeriod({ from, to }, DEFAULT_PERIOD_DAYS, now), 'from')
}

/** Like `readPeriod` with a maximum length, for reports that count day by day. */
export function readPeriodOfDays(query: { from?: string; to?: string }, max_days: number, now: Date): Period {
  const period = readPeriod(query, now)
  if (computeLengthInDays(period) <= max_days) return period
  throw invalid({ 'query.from': `The period should be at most ${max_days} days long` })
}

/** The period of a trend, and the buckets that divide it. */
export function readTrendPeriod(query: { from?: string; to?: string; buckets?: number }, now: Date) {
  const period = readPeriodOfDays(query, MAX_TREND_DAYS, now)
  return { period, buckets: splitIntoBuckets(period, query.buckets ?? DEFAULT_BUCKETS) }
}

/** For queries where both `from` and `to` may be open: null if missing. */
export function readBounds(query: { from?: string; to?: string }): {
  from_at: Date | null
  to_at: Date | null
} {
  const [from, to] = [readInstant(query.from, 'from'), readInstant(query.to, 'to')]
  if (from && to) requireOrder({ from, to }, 'from')
  return { from_at: from ?? null, to_at: to ?? null }
}

export function requireOrder(period: Period, field: string): Period {
  if (computeLengthInDays(period) >= 0) return period
  throw periodIsBackwards(field)
}

export function periodIsBackwards(field: string): AppError {
  return invalid({ [`query.${field}`]: 'The period should begin before it ends' })
}

function readInstant(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant) return instant
  throw invalid({
    [`query.${field}`]: `Input should be a time in ISO 8601 or epoch seconds [input: ${text.slice(0, 100)}]`,
  })
}
