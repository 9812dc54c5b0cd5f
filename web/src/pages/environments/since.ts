// Finds out since when an environment has been in the state of a snapshot.
import { useQuery } from '@tanstack/react-query'
import type { SnapshotListItem, TimelineBucket } from './answers.ts'
import { type SnapshotWindow, snapshotWindowQuery, timelineQuery } from './history-queries.ts'
import { findWindow } from './timeline.tsx'

/** The API limit of snapshots per page. */
const MAX_LISTED = 100

export interface Since {
  index: number
  from: number
  /** False if the state is older than the loaded snapshots. */
  isExact: boolean
}

interface SnapshotState {
  index: number
  state: boolean | null
  latest: number
}

/** Looks through neighbouring snapshots, oldest first. */
function findSince(listed: readonly SnapshotListItem[], index: number): Since | null {
  const position = listed.findIndex(each => each.index === index)
  const at = listed[position]
  if (at === undefined) return null
  const other = listed.slice(0, position).findLastIndex(({ state }) => state !== at.state)
  const first = listed[other + 1] ?? at
  return { index: first.index, from: first.from, isExact: other >= 0 || first.index === 1 }
}

/**
 * Looks at the neighbouring snapshots. If the state is older, looks at the last time span of the timeline
 * that had another state. The page has already loaded both, except for the snapshots of that span.
 */
export function useSince(
  org: string,
  environment: string,
  { index, state, latest }: SnapshotState,
): Since | null {
  const near = useQuery(snapshotWindowQuery(org, environment, findWindow(index, latest)))
  const found = findSince(near.data ?? [], index)
  const isOlder = found !== null && !found.isExact
  const timeline = useQuery({ ...timelineQuery(org, environment, latest), enabled: isOlder })
  const span = isOlder && timeline.data ? findSpanBefore(timeline.data.buckets, found.index, state) : null
  const far = useQuery({
    ...snapshotWindowQuery(org, environment, span ?? { first: 1, last: 1 }),
    enabled: span !== null,
  })
  if (!isOlder || span === null || !far.data || far.isPlaceholderData) return found
  const other = far.data.findLastIndex(each => each.state !== state)
  const first = far.data[other + 1]
  if (first === undefined) return found
  return { index: first.index, from: first.from, isExact: other >= 0 || first.index === 1 }
}

/** The newest snapshots of the last bucket before `index` in which the environment was in another state. */
function findSpanBefore(
  buckets: readonly TimelineBucket[],
  index: number,
  state: boolean | null,
): SnapshotWindow {
  const bucket = buckets.findLast(
    each => each.first_index !== null && each.first_index < index && hadOtherState(each, state),
  )
  // One more than the bucket has, because the state changes between two snapshots.
  const last = Math.min(index, (bucket?.last_index ?? 0) + 1)
  return { first: Math.max(1, bucket?.first_index ?? 1, last - MAX_LISTED + 1), last }
}

function hadOtherState(bucket: TimelineBucket, state: boolean | null): boolean {
  const seconds = new Map([
    [true, bucket.compliant_seconds],
    [false, bucket.non_compliant_seconds],
    // A gap in the reports changes no snapshot.
    [null, bucket.unknown_seconds - bucket.stale_seconds],
  ])
  seconds.delete(state)
  return [...seconds.values()].some(each => each > 0)
}
