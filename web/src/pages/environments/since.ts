// Since when an environment was in the state that it had in a snapshot.
import { useQuery } from '@tanstack/react-query'
import type { SnapshotListItem, TimelineBucket } from './answers.ts'
import { type SnapshotWindow, snapshotWindowQuery, timelineQuery } from './history-queries.ts'
import { windowAround } from './timeline.tsx'

/** The most that the server lists at once. */
const MOST_LISTED = 100

export interface Since {
  index: number
  from: number
  /** False where the state is older than the snapshots at hand. */
  isExact: boolean
}

interface Moment {
  index: number
  state: boolean | null
  latest: number
}

/** From neighbouring snapshots, oldest first. */
export function sinceWhen(listed: readonly SnapshotListItem[], index: number): Since | null {
  const position = listed.findIndex(each => each.index === index)
  const at = listed[position]
  if (at === undefined) return null
  const other = listed.slice(0, position).findLastIndex(({ state }) => state !== at.state)
  const first = listed[other + 1] ?? at
  return { index: first.index, from: first.from, isExact: other >= 0 || first.index === 1 }
}

/**
 * In the snapshots around it; where the state is older than those, in the last stretch of the timeline that had another
 * one. Both are on the page already, but for the snapshots of that stretch.
 */
export function useSince(org: string, environment: string, { index, state, latest }: Moment): Since | null {
  const near = useQuery(snapshotWindowQuery(org, environment, windowAround(index, latest)))
  const found = sinceWhen(near.data ?? [], index)
  const isOlder = found !== null && !found.isExact
  const timeline = useQuery({ ...timelineQuery(org, environment, latest), enabled: isOlder })
  const stretch = isOlder && timeline.data ? stretchBefore(timeline.data.buckets, found.index, state) : null
  const far = useQuery({
    ...snapshotWindowQuery(org, environment, stretch ?? { first: 1, last: 1 }),
    enabled: stretch !== null,
  })
  if (!isOlder || stretch === null || !far.data || far.isPlaceholderData) return found
  const other = far.data.findLastIndex(each => each.state !== state)
  const first = far.data[other + 1]
  if (first === undefined) return found
  return { index: first.index, from: first.from, isExact: other >= 0 || first.index === 1 }
}

/** The newest snapshots of the last bucket before one of them in which the environment was in another state. */
export function stretchBefore(
  buckets: readonly TimelineBucket[],
  index: number,
  state: boolean | null,
): SnapshotWindow {
  const bucket = buckets.findLast(
    each => each.first_index !== null && each.first_index < index && hadOther(each, state),
  )
  // One more than the bucket has, because the change is between two of them.
  const last = Math.min(index, (bucket?.last_index ?? 0) + 1)
  return { first: Math.max(1, bucket?.first_index ?? 1, last - MOST_LISTED + 1), last }
}

function hadOther(bucket: TimelineBucket, state: boolean | null): boolean {
  const seconds = new Map([
    [true, bucket.compliant_seconds],
    [false, bucket.non_compliant_seconds],
    [null, bucket.unknown_seconds],
  ])
  seconds.delete(state)
  return [...seconds.values()].some(each => each > 0)
}
