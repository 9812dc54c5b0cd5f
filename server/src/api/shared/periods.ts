// The period of a query: `from` and `to`, what they mean, and the refusals of those that mean none.
import { Type } from 'typebox'
import { computeLengthInDays, type Period, parseInstant, resolvePeriod } from '../../domain/period.ts'
import { type AppError, invalid } from '../../lib/errors.ts'

const USUAL_DAYS = 30

export const From = Type.Optional(
  Type.String({
    description: `Not before: ISO 8601 or epoch seconds; ${USUAL_DAYS} days before the end unless told`,
  }),
)
export const To = Type.Optional(
  Type.String({ description: 'Not after: ISO 8601 or epoch seconds; now unless told' }),
)

/** The period that `from` and `to` mean, or the refusal. */
export function readPeriod(query: { from?: string; to?: string }, now: Date): Period {
  const [from, to] = [readInstant(query.from, 'from'), readInstant(query.to, 'to')]
  return requireOrder(resolvePeriod({ from, to }, USUAL_DAYS, now), 'from')
}

/** The same, for what is counted day by day. */
export function readPeriodOfDays(query: { from?: string; to?: string }, max_days: number, now: Date): Period {
  const period = readPeriod(query, now)
  if (computeLengthInDays(period) <= max_days) return period
  throw invalid({ 'query.from': `The period should be at most ${max_days} days long` })
}

/** What `from` and `to` mean where both may be left open: null for none. */
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
