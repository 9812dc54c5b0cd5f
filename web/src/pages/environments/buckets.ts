// The stretches of time that a timeline is made of: how each is drawn and what it says.
import { toState } from '../../parts/state-badge.tsx'
import { formatCount } from '../../ui/format-count.ts'
import type { TimelineBucket } from './answers.ts'
import type { Layer } from './band.tsx'

/** What is wrong is seen, however short it was. */
const LEAST_SHARE = 0.3

/** The worst first. */
function secondsByState(buckets: readonly TimelineBucket[]): { state: boolean | null; seconds: number }[] {
  const sum = (field: 'non_compliant_seconds' | 'unknown_seconds' | 'compliant_seconds') =>
    buckets.reduce((seconds, bucket) => seconds + bucket[field], 0)
  return [
    { state: false, seconds: sum('non_compliant_seconds') },
    { state: null, seconds: sum('unknown_seconds') },
    { state: true, seconds: sum('compliant_seconds') },
  ].filter(({ seconds }) => seconds > 0)
}

/** The worst state at the bottom, as high as its share of the time, and the others above it. */
export function layersOf(bucket: TimelineBucket): Layer[] {
  const parts = secondsByState([bucket])
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  const [worst, ...others] = parts.map(({ state, seconds }) => ({ state, share: seconds / total }))
  if (worst === undefined) return []
  if (others.length === 0) return [{ ...worst, share: 1 }]
  const share = Math.max(worst.share, LEAST_SHARE)
  const left = (1 - share) / (1 - worst.share)
  return [{ ...worst, share }, ...others.map(other => ({ ...other, share: other.share * left }))]
}

export function bucketWords(bucket: TimelineBucket): string {
  const { from, to, first_index, last_index, deployments } = bucket
  const time = `${moment(from)} to ${moment(to)}`
  if (first_index === null || last_index === null) return `${time}: nothing was reported yet`
  const which =
    first_index === last_index ? `snapshot ${last_index}` : `snapshots ${first_index} to ${last_index}`
  const marks = deployments === 0 ? '' : `, ${formatCount(deployments, 'deployment')}`
  return `${time}: ${which}, ${sharesOf([bucket])}${marks}`
}

const moment = (at: number) => new Date(at * 1000).toLocaleString()

/** The picture in words, for those who do not see it. */
export function sharesOf(buckets: readonly TimelineBucket[]): string {
  const parts = secondsByState(buckets)
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  return parts.map(({ state, seconds }) => `${percent(seconds / total)} ${toState(state)}`).join(', ')
}

/** Rounded away from all and nothing, which would be untrue. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0) return 'less than 1%'
  return rounded === 100 && share < 1 ? 'more than 99%' : `${rounded}%`
}
