// The cells of the detailed band: one for each snapshot, as wide as it lasted.
import { computeState, formatState } from '../../parts/state-badge.tsx'
import type { Deployment, SnapshotListItem } from './answers.ts'
import type { BandCell } from './band-cell.ts'
import { historyTexts as texts } from './texts-history.ts'

/** Matches by time: the deployments of a logical environment carry the snapshot numbers of its members. */
export function buildCell(
  snapshot: SnapshotListItem,
  deployments: readonly Deployment[],
  selected: number,
  now: number,
): BandCell {
  const { is_stale, unknown_because } = snapshot
  // The last known verdict may no longer be true.
  const state = unknown_because === null ? snapshot.state : null
  const end = snapshot.to === 0 ? Number.POSITIVE_INFINITY : snapshot.to
  const started = deployments.filter(
    ({ deployed_at }) => deployed_at >= snapshot.from && deployed_at < end,
  ).length
  const time = new Date(snapshot.from * 1000).toLocaleString()
  return {
    index: snapshot.index,
    layers: [{ state, is_stale, share: 1 }],
    weight: Math.max(0, (snapshot.to === 0 ? now : snapshot.to) - snapshot.from),
    deployments: started,
    label: texts.timeline.cell(
      snapshot.index,
      formatState(computeState(snapshot)),
      time,
      texts.timeline.deployments(started),
    ),
    isSelected: snapshot.index === selected,
    isDetailed: false,
  }
}
