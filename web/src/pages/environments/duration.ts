// A length of time in words.

const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const

export function duration(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? (['second', 1] as const)
  const count = Math.round(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
