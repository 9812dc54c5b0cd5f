// The time spans of a timeline: how each is drawn and described.
import { computeState, describeState } from '../../parts/state-badge.tsx'
import type { TimelineBucket } from './answers.ts'
import type { Layer } from './band-cell.ts'
import { historyTexts as texts } from './texts-history.ts'

/** Keeps even a short violation visible. */
const MIN_SHARE = 0.3

interface Part {
  state: boolean | null
  is_stale: boolean
  seconds: number
}

/** The worst state first. */
function sumSecondsByState(buckets: readonly TimelineBucket[]): Part[] {
  const sum = (read: (bucket: TimelineBucket) => number) =>
    buckets.reduce((seconds, bucket) => seconds + read(bucket), 0)
  return [
    { state: false, is_stale: false, seconds: sum(bucket => bucket.non_compliant_seconds) },
    { state: null, is_stale: true, seconds: sum(bucket => bucket.stale_seconds) },
    {
      state: null,
      is_stale: false,
      seconds: sum(({ unknown_seconds, stale_seconds }) => unknown_seconds - stale_seconds),
    },
    { state: true, is_stale: false, seconds: sum(bucket => bucket.compliant_seconds) },
  ].filter(({ seconds }) => seconds > 0)
}

/** The worst state at the bottom, as high as its share of the time, the others above it. */
export function buildLayers(bucket: TimelineBucket): Layer[] {
  const parts = sumSecondsByState([bucket])
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  const [worst, ...others] = parts.map(({ seconds, ...part }) => ({ ...part, share: seconds / total }))
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
    .map(part => texts.bucket.share(formatPercent(part.seconds / total), describeState(computeState(part))))
    .join(', ')
}

/** Never rounds to 0% or 100%, which would be wrong. */
function formatPercent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0) return texts.bucket.almostNone
  return rounded === 100 && share < 1 ? texts.bucket.almostAll : `${rounded}%`
}
