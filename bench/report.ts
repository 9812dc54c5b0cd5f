// How figures are printed: one line each, with its aim beside it. A missed aim is said, never thrown: machines differ,
// and a benchmark that fails on a busy one would soon be left out.

export interface Figure {
  name: string
  value: number
  /** Written behind the value; a ratio has none. */
  unit?: string
  aim?: { at_least: number } | { at_most: number }
  /** The lowest and the highest of the rounds, for those who wonder how steady it was. */
  spread?: readonly number[]
}

const NAME_WIDTH = 66

export function print(figure: Figure): void {
  const { name, value, unit, spread } = figure
  const range = spread ? ` (${formatNumber(Math.min(...spread))}–${formatNumber(Math.max(...spread))})` : ''
  const shown = `${formatNumber(value)}${unit ? ` ${unit}` : ''}${range}`
  console.log(`  ${name.padEnd(NAME_WIDTH)} ${shown.padEnd(22)} ${describeAim(figure)}`.trimEnd())
}

export function printTitle(text: string): void {
  console.log(`\n${text}`)
}

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The ratio of two variants that took turns: round by round, so that a machine that grows busy slows both. */
export function printRatio(
  name: string,
  ours: readonly number[],
  yardstick: readonly number[],
  aim?: Figure['aim'],
): void {
  const spread = ours.map((value, round) => value / (yardstick[round] ?? Number.NaN))
  print({ name, value: computeMedian(spread), spread, ...(aim ? { aim } : {}) })
}

function describeAim({ value, aim }: Figure): string {
  if (!aim) return ''
  const isMet = 'at_least' in aim ? value >= aim.at_least : value <= aim.at_most
  return `aim ${'at_least' in aim ? `≥ ${aim.at_least}` : `≤ ${aim.at_most}`}: ${isMet ? 'met' : 'MISSED'}`
}

function formatNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
