// Coverage in percent with one decimal.

const TENTHS_OF_ALL = 1000

/** Rounded, except that 100 always means all and 0 always means none. */
export function computeCoveragePercent(total: number, covered: number): number {
  if (covered === 0 || total === 0) return 0
  if (covered >= total) return 100
  const tenths = Math.round((covered / total) * TENTHS_OF_ALL)
  return Math.min(TENTHS_OF_ALL - 1, Math.max(1, tenths)) / 10
}
