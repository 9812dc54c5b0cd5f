// Formats a number of bytes so that people can compare it: 512 bytes, 1.5 kB, 12 GB.
import { uiTexts as texts } from './texts.ts'

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const
const STEP = 1000
/** Enough digits to see growth, few enough to read. */
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function formatBytes(bytes: number): string {
  if (bytes < STEP) return texts.bytes(bytes)
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length)
  return `${number.format(bytes / STEP ** power)} ${UNITS[power - 1]}`
}
