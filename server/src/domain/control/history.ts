// Lists when the state of a control in an environment changed, from the environment's snapshots and its reporter's
// silences. Between two snapshots nothing changes.
import type { Silence } from '../snapshot/silences.ts'
import {
  type ControlOutcome,
  type ControlVerdict,
  computeControlState,
  NO_ARTIFACTS,
  type OutcomeCounts,
} from './state.ts'

export interface HistorySnapshot {
  snapshot_index: number
  created_at: Date
  is_required: boolean
  is_partial: boolean
}

/** How many artifacts had an outcome from one snapshot up to, and not including, another. */
export interface OutcomeInterval {
  from_index: number
  to_index: number
  outcome: ControlOutcome
  artifacts: number
}

export interface StateChange extends ControlVerdict {
  at: Date
  /** In force at that time. */
  snapshot_index: number
  artifacts: OutcomeCounts
}

/** Both lists are oldest first. The first entry is the state at the first snapshot. */
export function listStateChanges(
  snapshots: readonly HistorySnapshot[],
  intervals: readonly OutcomeInterval[],
  silences: readonly Silence[],
): StateChange[] {
  const counts = countOutcomes(snapshots, intervals)
  const changes: StateChange[] = []
  for (const { at, snapshot } of listMoments(snapshots, silences)) {
    const artifacts = counts.get(snapshot.snapshot_index) ?? NO_ARTIFACTS
    const verdict = computeControlState({
      is_required: snapshot.is_required,
      has_reported: true,
      is_stale: isSilent(silences, at),
      is_partial: snapshot.is_partial,
      is_overdue: false,
      artifacts,
    })
    const last = changes.at(-1)
    if (last?.state === verdict.state && last.unknown_because === verdict.unknown_because) continue
    changes.push({ at, snapshot_index: snapshot.snapshot_index, artifacts, ...verdict })
  }
  return changes
}

/** The outcomes of each snapshot. Adds and removes at the ends of intervals, so that one pass is enough. */
function countOutcomes(
  snapshots: readonly HistorySnapshot[],
  intervals: readonly OutcomeInterval[],
): Map<number, OutcomeCounts> {
  const ends = new Map<number, OutcomeInterval[]>()
  const addAt = (index: number, interval: OutcomeInterval) => {
    const there = ends.get(index)
    if (there) there.push(interval)
    else ends.set(index, [interval])
  }
  for (const interval of intervals) {
    addAt(interval.from_index, interval)
    addAt(interval.to_index, { ...interval, artifacts: -interval.artifacts })
  }
  const counts = new Map<number, OutcomeCounts>()
  const current = { ...NO_ARTIFACTS }
  for (const { snapshot_index } of snapshots) {
    for (const { outcome, artifacts } of ends.get(snapshot_index) ?? []) current[outcome] += artifacts
    counts.set(snapshot_index, { ...current })
  }
  return counts
}

/** Every time at which the state may change, with the snapshot in force. */
function listMoments(
  snapshots: readonly HistorySnapshot[],
  silences: readonly Silence[],
): { at: Date; snapshot: HistorySnapshot }[] {
  const [first] = snapshots
  if (!first) return []
  const times = silences.flatMap(({ from, to }) => (to === null ? [from] : [from, to]))
  const moments = [
    ...snapshots.map(snapshot => ({ at: snapshot.created_at, snapshot })),
    ...times
      .filter(at => at > first.created_at)
      .map(at => ({ at, snapshot: snapshots.findLast(({ created_at }) => created_at <= at) ?? first })),
  ]
  return moments.sort(
    (a, b) => a.at.getTime() - b.at.getTime() || a.snapshot.snapshot_index - b.snapshot.snapshot_index,
  )
}

function isSilent(silences: readonly Silence[], at: Date): boolean {
  return silences.some(({ from, to }) => from <= at && (to === null || at < to))
}
