// Computes the widths of a band's cells, and which cell is at a position.

/** Divides this share of the band equally, so that people can see and click short cells. */
const EQUAL_SHARE = 0.2

/** Shares of the whole width, by weight. A longer cell is never narrower than a shorter one. */
export function computeWidths(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const equal = 1 / (weights.length || 1)
  if (total <= 0) return weights.map(() => equal)
  return weights.map(weight => EQUAL_SHARE * equal + ((1 - EQUAL_SHARE) * weight) / total)
}

/** The start of each cell, as a share of the whole width. */
export function computeStarts(widths: readonly number[]): number[] {
  let before = 0
  return widths.map(width => {
    const start = before
    before += width
    return start
  })
}

/** The cell at a share of the whole width; outside of the band, the first or the last one. */
export function findCellAt(widths: readonly number[], share: number): number {
  const starts = computeStarts(widths)
  return Math.max(
    0,
    starts.findLastIndex(start => start <= share),
  )
}

/** Cells of a band, by their indexes. */
export interface CellRange {
  first: number
  last: number
}

export const spanRange = (one: number, other: number): CellRange => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})

/**
 * The range after an arrow key: left moves its start earlier, right its end later. Undefined for other keys.
 */
export function extendRange(
  range: CellRange | null,
  key: string,
  at: number,
  count: number,
): CellRange | undefined {
  const start = Math.max(0, at)
  const { first, last } = range ?? { first: start, last: start }
  if (key === 'ArrowLeft') return { first: Math.max(0, first - 1), last }
  if (key === 'ArrowRight') return { first, last: Math.min(count - 1, last + 1) }
  return undefined
}
