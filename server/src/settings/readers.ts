// Readers for the values of settings. An unusable value stops the start.
import { parseEgressAllow } from '@waybill/egress'
import { parseUrl } from '../lib/url.ts'

/** An invalid or unknown setting: the start fails with this one line. */
export class SettingProblem extends Error {}

export interface Setting<T> {
  readonly meaning: string
  readonly shown_default: string
  /** Can be read from a file, see secret-files.ts. */
  readonly is_secret: boolean
  read(value: string | undefined, name: string): T
}

export function defineSetting<T>(
  meaning: string,
  shown_default: string,
  read: (value: string | undefined, name: string) => T,
): Setting<T> {
  return { meaning, shown_default, is_secret: false, read }
}

export function defineSecret<T>(
  meaning: string,
  shown_default: string,
  read: (value: string | undefined, name: string) => T,
): Setting<T> {
  return { meaning, shown_default, is_secret: true, read }
}

export function readTextOr(fallback: string) {
  return (value: string | undefined): string => value ?? fallback
}

export function readOptionalText(value: string | undefined): string | undefined {
  return value
}

export function readNumberBetween(min: number, max: number, fallback: number) {
  return (value: string | undefined, name: string): number => {
    const number = value === undefined ? fallback : /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new SettingProblem(`${name} must be a whole number from ${min} to ${max}`)
  }
}

/** The first choice is the default. */
export function readOneOf<const T extends string>(...choices: [T, ...T[]]) {
  return (value: string | undefined, name: string): T => {
    if (value === undefined) return choices[0]
    const chosen = choices.find(choice => choice === value)
    if (chosen !== undefined) return chosen
    throw new SettingProblem(`${name} must be one of ${choices.join(', ')}`)
  }
}

export function readDatabaseUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^postgres(ql)?:\/\//.test(value)) return value
  throw new SettingProblem(`${name} must begin with postgres:// or postgresql://`)
}

export function readPublicUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  if (parseUrl(value) && /^https?:\/\//.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(`${name} must be an http or https address`)
}

export function readUrlWithScheme(...schemes: string[]) {
  return (value: string | undefined, name: string): string | undefined => {
    if (value === undefined) return undefined
    const url = parseUrl(value)
    if (url && schemes.includes(url.protocol.slice(0, -1))) return value
    throw new SettingProblem(`${name} must begin with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`)
  }
}

export function readCommaList(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap(entry => entry.trim() || [])
}

export function readEgressAllow(value: string | undefined, name: string): string[] {
  const entries = readCommaList(value)
  if (parseEgressAllow(entries)) return entries
  throw new SettingProblem(
    `${name} must be ranges such as 10.0.0.0/8, addresses or host names, separated by commas`,
  )
}

/** Plain HTTP could be intercepted by anyone, unless it stays on this host. */
export function readIssuers(fallback: string) {
  return (value: string | undefined, name: string): string[] => {
    if (value === 'off') return []
    const entries = readCommaList(value ?? fallback)
    if (entries.length > 0 && entries.every(isIssuer)) return entries
    throw new SettingProblem(`${name} must be https addresses separated by commas, or be off`)
  }
}

function isIssuer(entry: string): boolean {
  if (!parseUrl(entry) || /[?#@]/.test(entry)) return false
  const { protocol, hostname } = new URL(entry)
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

export function readSeconds(fallback: string) {
  return (value: string | undefined, name: string): number[] => {
    const entries = (value ?? fallback).split(',').map(entry => entry.trim())
    if (entries.every(entry => /^\d{1,7}$/.test(entry))) return entries.map(Number)
    throw new SettingProblem(`${name} must be whole seconds separated by commas, such as 0,5,300`)
  }
}

export function readOrgName(fallback: string) {
  return (value: string | undefined, name: string): string => {
    if (value === undefined) return fallback
    if (/^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/.test(value)) return value
    throw new SettingProblem(`${name} must be letters, digits, hyphens, dots or underscores`)
  }
}

export function withSettingProblem<T>(read: (value: string | undefined, name: string) => T) {
  return (value: string | undefined, name: string): T => rethrowAsProblem(() => read(value, name))
}

/** Reports a problem with a combination of settings like one with a single setting. */
export function rethrowAsProblem<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingProblem((error as Error).message)
  }
}

export function readSecretKey(value: string | undefined, name: string): string | undefined {
  if (value === undefined || value.length >= 32) return value
  throw new SettingProblem(`${name} must have 32 characters or more`)
}

/** Only characters that a header can contain. */
export function readMetricsToken(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^[!-~]{16,1024}$/.test(value)) return value
  throw new SettingProblem(`${name} must have 16 to 1024 visible ASCII characters without spaces`)
}
