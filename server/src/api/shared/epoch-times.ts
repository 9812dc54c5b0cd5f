// Times in queries: epoch seconds, with or without a fraction.
import { Type } from 'typebox'
import { MAX_EPOCH_SECONDS } from '../../domain/period.ts'
import { EXAMPLE_TIME } from './examples.ts'
import { periodIsBackwards } from './periods.ts'
import { about } from './wire.ts'

export const EpochTime = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: MAX_EPOCH_SECONDS, ...about(description, EXAMPLE_TIME) }))

export const PeriodFrom = EpochTime('Start of the period, in epoch seconds')
export const PeriodTo = EpochTime('End of the period, in epoch seconds')

/** The times in two parameters, null if missing. Throws a 400 if the period ends before it starts. */
export function readEpochBounds<From extends string, To extends string>(
  query: Partial<Record<From | To, number>>,
  from: From,
  to: To,
): { from_at: Date | null; to_at: Date | null } {
  const [from_at, to_at] = [fromEpoch(query[from]) ?? null, fromEpoch(query[to]) ?? null]
  if (from_at && to_at && from_at > to_at) throw periodIsBackwards(from)
  return { from_at, to_at }
}

export function fromEpoch(epoch_seconds: number | undefined): Date | undefined {
  return epoch_seconds === undefined ? undefined : new Date(epoch_seconds * 1000)
}
