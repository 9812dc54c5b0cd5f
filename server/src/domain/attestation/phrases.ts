// Phrases that the verdicts of several attestation types use.
import type { AttestationVerdict } from './define-type.ts'

const MAX_NAMES = 10

/** The verdict that the reporter states in a field. */
export function buildDeclaredVerdict(key: string, is_compliant: boolean): AttestationVerdict {
  return { is_compliant, expected: `${key}: true`, found: `${key}: ${is_compliant}` }
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0)

export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** Lists only the first few names, to keep the sentence short. */
export function formatNames(names: readonly string[]): string {
  const known = names.filter(name => name !== '')
  if (known.length === 0) return ''
  return `: ${known.slice(0, MAX_NAMES).join(', ')}${known.length > MAX_NAMES ? ', …' : ''}`
}
