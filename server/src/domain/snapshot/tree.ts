// Where intervals of snapshot numbers are filed, so that those that contain a number are found without looking at the
// others. Numbers form a binary tree (1 under 2, 3 under 2, 2 and 6 under 4, …); an interval is filed at the one of its
// numbers that is highest. What contains a number is therefore filed on its way to the root. The function
// `interval_node` of the database says the same.

const LEVELS = 31

export function computeIntervalNode(first: number, last: number): number {
  const level = 31 - Math.clz32((first - 1) ^ last)
  return (last >> level) << level
}

export interface RootPath {
  /** Nodes up to the number itself: what is filed there must end after it. */
  at_or_before: number[]
  /** Nodes after it: what is filed there must begin at it or before. */
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
