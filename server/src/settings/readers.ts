// Parsers for setting values that more than one group needs. An unusable value stops the start, with a message that
// never shows it.
import { isLoopback } from '../lib/loopback.ts'
import { parseUrl } from '../lib/url.ts'
import { SettingProblem } from './setting.ts'

export const HEADER_NAME = /^[A-Za-z0-9-]+$/
export const HEADER_VALUE = /^[\x20-\x7e]*$/

export function readText(value: string): string {
  return value
}

export function readNumberBetween(min: number, max: number) {
  return (value: string, name: string): number => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new SettingProblem(`${name} must be a whole number from ${min} to ${max}`)
  }
}

/** Null: off. */
export function readLimit(value: string, name: string): number | null {
  if (value === 'off') return null
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= Number.MAX_SAFE_INTEGER) return number
  throw new SettingProblem(`${name} must be a whole number from 1, or be off`)
}

export function readOneOf<const T extends string>(...choices: T[]) {
  return (value: string, name: string): T => {
    const chosen = choices.find(choice => choice === value)
    if (chosen !== undefined) return chosen
    throw new SettingProblem(`${name} must be one of ${choices.join(', ')}`)
  }
}

export function readUrlWithScheme(...schemes: string[]) {
  return (value: string, name: string): string => {
    const url = parseUrl(value)
    if (url && schemes.includes(url.protocol.slice(0, -1))) return value
    throw new SettingProblem(`${name} must begin with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`)
  }
}

export function readCommaList(value: string): string[] {
  return value.split(',').flatMap(entry => entry.trim() || [])
}

/** Plain HTTP could be intercepted by anyone, unless it stays on this host. */
export function isIssuer(address: string): boolean {
  if (!parseUrl(address) || /[?#@]/.test(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** `readEntry` returns the parsed entry, or the problem with it. */
export function readJsonList<T extends object>(readEntry: (entry: Record<string, unknown>) => T | string) {
  return (value: string, name: string): T[] =>
    parseList(value, name).map((entry, i) => {
      const read = isObject(entry) ? readEntry(entry) : 'must be an object'
      if (typeof read !== 'string') return read
      throw new SettingProblem(`${name}: entry ${i + 1} ${read}`)
    })
}

function parseList(value: string, name: string): unknown[] {
  let list: unknown
  try {
    list = JSON.parse(value)
  } catch {
    // The parser's message quotes its input, which may contain secrets.
  }
  if (Array.isArray(list)) return list
  throw new SettingProblem(`${name} must be a JSON list`)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The first repeated value in the list. */
export function findRepeated(values: readonly string[]): string | undefined {
  return values.find((value, i) => values.indexOf(value) < i)
}
