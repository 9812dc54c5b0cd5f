// Formats durations and intervals.
import { formatCount } from './format-count.ts'
import { uiTexts as texts } from './texts.ts'

const UNITS = [
  ['d', 24 * 60 * 60],
  ['h', 60 * 60],
  ['min', 60],
] as const

/** The two largest relevant units: 3 d 4 h, 2 h 20 min. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return texts.unknown
  const first = UNITS.findIndex(([, length]) => seconds >= length)
  if (first === -1) return `${Math.round(seconds)} s`
  const parts: string[] = []
  let rest = seconds
  for (const [unit, length] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / length)
    if (count > 0) parts.push(`${count} ${unit}`)
    rest -= count * length
  }
  return parts.join(' ')
}

const WHOLE_UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const

/** Uses the largest unit that is exact: 1 hour, 90 minutes. */
export function formatExactDuration(seconds: number): string {
  const [unit, length] = WHOLE_UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  return formatCount(seconds / length, unit)
}

/** Every hour, every 90 minutes. */
export const formatInterval = (seconds: number) =>
  texts.everyInterval(formatExactDuration(seconds).replace(/^1 /, ''))
