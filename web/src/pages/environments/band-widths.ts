// How wide the cells of a band are, and which of them is at a place.

/** So much of the band is shared equally, so that a short cell can be seen and clicked. */
const EQUAL_SHARE = 0.2

/** Shares of the whole width, by weight. A longer cell is never narrower than a shorter one. */
export function computeWidths(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const equal = 1 / (weights.length || 1)
  if (total <= 0) return weights.map(() => equal)
  return weights.map(weight => EQUAL_SHARE * equal + ((1 - EQUAL_SHARE) * weight) / total)
}

/** Where each cell begins, as a share of the whole width. */
export function computeStarts(widths: readonly number[]): number[] {
  let before = 0
  return widths.map(width => {
    const start = before
    before += width
    return start
  })
}

/** The cell at a share of the whole width; the first or the last one outside the band. */
export function findCellAt(widths: readonly number[], share: number): number {
  const starts = computeStarts(widths)
  return Math.max(
    0,
    starts.findLastIndex(start => start <= share),
  )
}
