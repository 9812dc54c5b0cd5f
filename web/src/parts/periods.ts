// The periods of a chart, each divided into as many time spans as fit on a phone.
import { readServerSeconds } from '../live/server-clock.ts'

export const PERIODS = ['7d', '30d', '90d', '1y'] as const
export type Period = (typeof PERIODS)[number]
export const DEFAULT_PERIOD: Period = '90d'

const DAY_SECONDS = 86_400
const MINUTE_SECONDS = 60
const LENGTHS: Record<Period, { days: number; buckets: number }> = {
  '7d': { days: 7, buckets: 28 },
  '30d': { days: 30, buckets: 30 },
  '90d': { days: 90, buckets: 45 },
  '1y': { days: 364, buckets: 52 },
}

/** Until now, rounded to the minute. */
export function resolvePeriod(period: Period): { from: number; to: number; buckets: number } {
  const to = Math.ceil(readServerSeconds() / MINUTE_SECONDS) * MINUTE_SECONDS
  const { days, buckets } = LENGTHS[period]
  return { from: to - days * DAY_SECONDS, to, buckets }
}
