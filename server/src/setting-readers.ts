// How the value of a setting is read, whichever setting it is. A value that cannot be used stops the start.
import { readAllow } from './egress/allow.ts'
import { urlOf } from './lib/url.ts'

/** A bad or unknown setting: the start is refused with this one line. */
export class SettingProblem extends Error {}

export function textOr(otherwise: string) {
  return (value: string | undefined): string => value ?? otherwise
}

export function optionalText(value: string | undefined): string | undefined {
  return value
}

export function numberBetween(least: number, most: number, otherwise: number) {
  return (value: string | undefined, name: string): number => {
    const number = value === undefined ? otherwise : /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new SettingProblem(`${name} must be a whole number from ${least} to ${most}`)
  }
}

/** The first choice is the default. */
export function oneOf<const T extends string>(...choices: [T, ...T[]]) {
  return (value: string | undefined, name: string): T => {
    if (value === undefined) return choices[0]
    const chosen = choices.find(choice => choice === value)
    if (chosen !== undefined) return chosen
    throw new SettingProblem(`${name} must be one of ${choices.join(', ')}`)
  }
}

export function databaseUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^postgres(ql)?:\/\//.test(value)) return value
  throw new SettingProblem(`${name} must begin with postgres:// or postgresql://`)
}

export function publicUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  if (urlOf(value) && /^https?:\/\//.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(`${name} must be an http or https address`)
}

export function urlWithScheme(...schemes: string[]) {
  return (value: string | undefined, name: string): string | undefined => {
    if (value === undefined) return undefined
    const url = urlOf(value)
    if (url && schemes.includes(url.protocol.slice(0, -1))) return value
    throw new SettingProblem(`${name} must begin with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`)
  }
}

export function commaList(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap(entry => entry.trim() || [])
}

export function egressAllow(value: string | undefined, name: string): string[] {
  const entries = commaList(value)
  if (readAllow(entries)) return entries
  throw new SettingProblem(
    `${name} must be ranges such as 10.0.0.0/8, addresses or host names, separated by commas`,
  )
}

/** What is sent to them in the clear could be answered by anybody, unless it stays on this host. */
export function issuerList(otherwise: string) {
  return (value: string | undefined, name: string): string[] => {
    if (value === 'off') return []
    const entries = commaList(value ?? otherwise)
    if (entries.length > 0 && entries.every(isIssuer)) return entries
    throw new SettingProblem(`${name} must be https addresses separated by commas, or be off`)
  }
}

function isIssuer(entry: string): boolean {
  if (!urlOf(entry) || /[?#@]/.test(entry)) return false
  const { protocol, hostname } = new URL(entry)
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

export function listOfSeconds(otherwise: string) {
  return (value: string | undefined, name: string): number[] => {
    const entries = (value ?? otherwise).split(',').map(entry => entry.trim())
    if (entries.every(entry => /^\d{1,7}$/.test(entry))) return entries.map(Number)
    throw new SettingProblem(`${name} must be whole seconds separated by commas, such as 0,5,300`)
  }
}

export function orgName(otherwise: string) {
  return (value: string | undefined, name: string): string => {
    if (value === undefined) return otherwise
    if (/^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/.test(value)) return value
    throw new SettingProblem(`${name} must be letters, digits, hyphens, dots or underscores`)
  }
}

export function refusing<T>(read: (value: string | undefined, name: string) => T) {
  return (value: string | undefined, name: string): T => orRefuse(() => read(value, name))
}

/** A problem with what makes up several settings is told like one with any other. */
export function orRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingProblem((error as Error).message)
  }
}

export function secretKey(value: string | undefined, name: string): string | undefined {
  if (value === undefined || value.length >= 32) return value
  throw new SettingProblem(`${name} must have 32 characters or more`)
}
