// Prints figures, one per line with its target, and keeps them for `npm run bench -- table`. A missed target is printed but never fails the run: machines differ,
// and people would stop running a benchmark that fails on a busy one.
import { appendFileSync } from 'node:fs'

export interface Figure {
  name: string
  value: number
  /** Printed after the value; a ratio has none. */
  unit?: string
  aim?: { at_least: number } | { at_most: number }
  /** The values of all rounds, to print the lowest and the highest. */
  spread?: readonly number[]
}

const NAME_WIDTH = 66

export function print(figure: Figure): void {
  const { name, value, unit, spread } = figure
  const range = spread ? ` (${formatNumber(Math.min(...spread))}–${formatNumber(Math.max(...spread))})` : ''
  const shown = `${formatNumber(value)}${unit ? ` ${unit}` : ''}${range}`
  const aim = describeAim(figure)
  console.log(`  ${name.padEnd(NAME_WIDTH)} ${shown.padEnd(22)} ${aim}`.trimEnd())
  keep({ name, shown, aim })
}

export function printTitle(text: string): void {
  console.log(`\n${text}`)
  keep({ title: text })
}

/** For a figure that could not be measured, or its meaning. */
export function printNote(text: string): void {
  console.log(`  ${text}`)
  keep({ note: text })
}

/** One line of JSON each, in the order in which they are printed. */
function keep(
  line: { title: string } | { note: string } | { name: string; shown: string; aim: string },
): void {
  const { BENCH_FIGURES: file } = process.env
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Computes the ratio of two variants for each round, so that a busy machine affects both. */
export function printRatio(
  name: string,
  ours: readonly number[],
  baseline: readonly number[],
  aim?: Figure['aim'],
): void {
  const spread = ours.map((value, round) => value / (baseline[round] ?? Number.NaN))
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
