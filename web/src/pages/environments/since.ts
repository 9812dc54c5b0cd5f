// Since when an environment was in the state that it had in a snapshot.
import type { SnapshotListItem } from './answers.ts'

export interface Since {
  index: number
  from: number
  /** False where the state is older than the snapshots at hand. */
  isExact: boolean
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
