// A number of bytes that people can compare: 512 bytes, 1.5 kB, 12 GB.

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const
const STEP = 1000
/** Enough to see it grow, and few enough to read. */
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function formatBytes(bytes: number): string {
  if (bytes < STEP) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length)
  return `${number.format(bytes / STEP ** power)} ${UNITS[power - 1]}`
}
