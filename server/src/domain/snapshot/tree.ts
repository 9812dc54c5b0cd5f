// An index for intervals of snapshot numbers: finds the intervals that contain a number without reading the others.
// Numbers form a binary tree (1 and 3 under 2, 2 and 6 under 4, …), and an interval is stored at the highest of its
// numbers in that tree. Every interval that contains a number is therefore stored on the path from that number to the
// root. The database function `interval_node` computes the same.

const LEVELS = 31

export function computeIntervalNode(first: number, last: number): number {
  const level = 31 - Math.clz32((first - 1) ^ last)
  return (last >> level) << level
}

export interface RootPath {
  /** Nodes up to the number itself: intervals stored there must end after it. */
  at_or_before: number[]
  /** Nodes after it: intervals stored there must start at it or before. */
  after: number[]
}

/** The nodes from a number to the root. */
export function computeRootPath(index: number): RootPath {
  const path: RootPath = { at_or_before: [], after: [] }
  for (let level = 0; level < LEVELS; level++) {
    const node = ((index >> (level + 1)) << (level + 1)) | (1 << level)
    if (node <= index) path.at_or_before.push(node)
    else path.after.push(node)
  }
  return path
}
