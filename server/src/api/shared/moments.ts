// Moments in queries: epoch seconds, with or without a fraction.
import { Type } from 'typebox'
import { MAX_EPOCH_SECONDS } from '../../domain/period.ts'

export const Moment = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: MAX_EPOCH_SECONDS, description }))

export function momentOf(epoch_seconds: number | undefined): Date | undefined {
  return epoch_seconds === undefined ? undefined : new Date(epoch_seconds * 1000)
}
