// The time spans of a timeline: how each is drawn and described.
import { describeState, toState } from '../../parts/state-badge.tsx'
import type { TimelineBucket } from './answers.ts'
import type { Layer } from './band.tsx'
import { historyTexts as texts } from './texts-history.ts'

/** Keeps even a short violation visible. */
const MIN_SHARE = 0.3

/** The worst state first. */
function sumSecondsByState(buckets: readonly TimelineBucket[]): { state: boolean | null; seconds: number }[] {
  const sum = (field: 'non_compliant_seconds' | 'unknown_seconds' | 'compliant_seconds') =>
    buckets.reduce((seconds, bucket) => seconds + bucket[field], 0)
  return [
    { state: false, seconds: sum('non_compliant_seconds') },
    { state: null, seconds: sum('unknown_seconds') },
    { state: true, seconds: sum('compliant_seconds') },
  ].filter(({ seconds }) => seconds > 0)
}

/** The worst state at the bottom, as high as its share of the time, the others above it. */
export function buildLayers(bucket: TimelineBucket): Layer[] {
  const parts = sumSecondsByState([bucket])
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  const [worst, ...others] = parts.map(({ state, seconds }) => ({ state, share: seconds / total }))
  if (worst === undefined) return []
  if (others.length === 0) return [{ ...worst, share: 1 }]
  const share = Math.max(worst.share, MIN_SHARE)
  const left = (1 - share) / (1 - worst.share)
  return [{ ...worst, share }, ...others.map(other => ({ ...other, share: other.share * left }))]
}

export function describeBucket(bucket: TimelineBucket): string {
  const { from, to, first_index, last_index, deployments } = bucket
  const time = texts.bucket.time(formatTime(from), formatTime(to))
  if (first_index === null || last_index === null) return texts.bucket.nothing(time)
  return texts.bucket.all(
    time,
    texts.bucket.snapshots(first_index, last_index),
    describeShares([bucket]),
    texts.timeline.deployments(deployments),
  )
}

const formatTime = (at: number) => new Date(at * 1000).toLocaleString()

/** Describes the band to screen readers. */
export function describeShares(buckets: readonly TimelineBucket[]): string {
  const parts = sumSecondsByState(buckets)
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  return parts
    .map(({ state, seconds }) =>
      texts.bucket.share(formatPercent(seconds / total), describeState(toState(state))),
    )
    .join(', ')
}

/** Never rounds to 0% or 100%, which would be wrong. */
function formatPercent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0) return texts.bucket.almostNone
  return rounded === 100 && share < 1 ? texts.bucket.almostAll : `${rounded}%`
}
