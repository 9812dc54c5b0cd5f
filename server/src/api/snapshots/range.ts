// Resolves the two ends of an interval to snapshot numbers, in ascending order.
import type { Db } from '../../db/database.ts'
import { resolveIndex } from '../../domain/snapshot/expression.ts'
import type { Bound, Interval } from '../../domain/snapshot/interval.ts'
import { findSnapshotIndex } from '../shared/snapshot-index-store.ts'

export interface IndexRange {
  from_index: number
  to_index: number
}

export async function resolveIndexRange(
  tx: Db,
  org_id: string,
  environment: { environment_id: string; latest_index: number },
  interval: Interval,
): Promise<IndexRange> {
  const [from, to] = await Promise.all([
    resolveBound(tx, org_id, environment, interval.from),
    resolveBound(tx, org_id, environment, interval.to),
  ])
  return { from_index: Math.max(1, Math.min(from, to)), to_index: Math.max(from, to) }
}

/** The first and last number on a page of a range; snapshots are numbered without gaps. Empty if first > last. */
export function computePageRange(
  { from_index, to_index }: IndexRange,
  latest_index: number,
  { limit, offset, ascending }: { limit: number; offset: number; ascending: boolean },
): IndexRange {
  const last = Math.min(to_index, latest_index)
  if (ascending) {
    const from = Math.min(from_index + offset, latest_index + 1)
    return { from_index: from, to_index: Math.min(last, from + limit - 1) }
  }
  const to = Math.max(0, last - offset)
  return { from_index: Math.max(from_index, to - limit + 1), to_index: to }
}

export function countSnapshots({ from_index, to_index }: IndexRange, latest_index: number): number {
  return Math.max(0, Math.min(to_index, latest_index) - from_index + 1)
}

async function resolveBound(
  tx: Db,
  org_id: string,
  { environment_id, latest_index }: { environment_id: string; latest_index: number },
  bound: Bound,
): Promise<number> {
  if (bound.kind === 'at') return findSnapshotIndex(tx, org_id, { environment_id, time: bound.time })
  return resolveIndex(bound, latest_index)
}
