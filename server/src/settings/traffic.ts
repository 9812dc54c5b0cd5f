// Settings for callers and the network: rate limits, quotas, session duration, trusted proxies, the DNS server, and
// the security contact.
import { type IpRange, isDnsServer, parseIpRange } from '@waybill/egress'
import { parseUrl } from '../lib/url.ts'

export interface RateLimit {
  requests: number
  per_seconds: number
}

/** Kinds of traffic that have separate limits. */
export type Traffic = 'keys' | 'anonymous' | 'sign_in' | 'exchange'
export type RateLimits = Readonly<Record<Traffic, RateLimit | undefined>>
export const NO_RATE_LIMITS: RateLimits = {
  keys: undefined,
  anonymous: undefined,
  sign_in: undefined,
  exchange: undefined,
}

export function readRateLimit(value: string | undefined, name: string): RateLimit | undefined {
  if (value === 'off') return undefined
  const match = /^([1-9]\d{0,8})\/([smh])$/.exec(value ?? '200/s')
  const per_seconds = { s: 1, m: 60, h: 3600 }[match?.[2] ?? '']
  if (match && per_seconds) return { requests: Number(match[1]), per_seconds }
  throw new Error(`${name} must look like 200/s, 600/m or 9000/h, or be off`)
}

/** Defaults to the limit per key. */
export function readRateLimitOr(value: string | undefined, name: string) {
  const own = value === undefined ? undefined : { limit: readRateLimit(value, name) }
  return (per_key: RateLimit | undefined): RateLimit | undefined => (own ? own.limit : per_key)
}

export function readQuota(value: string | undefined, name: string): number | null {
  if (value === undefined || value === 'off') return null
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= Number.MAX_SAFE_INTEGER) return number
  throw new Error(`${name} must be a whole number from 1, or be off`)
}

/** Not every address: fallback anyone could forge their own. */
export function readTrustedProxies(value: string | undefined, name: string): IpRange[] {
  const ranges = (value ?? '')
    .split(',')
    .flatMap(entry => entry.trim() || [])
    .map(parseIpRange)
  const trusted = ranges.filter(range => range !== undefined && range.prefix_bits > 0)
  if (trusted.length === ranges.length) return trusted as IpRange[]
  throw new Error(`${name} must be addresses or ranges such as 10.0.0.0/8, separated by commas`)
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** In milliseconds, at most a year. */
export function readDurationOr(fallback: string) {
  return (value: string | undefined, name: string): number => {
    const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(value ?? fallback) ?? []
    const duration_ms = Number(count) * UNITS_MS[(unit ?? 'm') as keyof typeof UNITS_MS]
    if (duration_ms <= 366 * UNITS_MS.d) return duration_ms
    throw new Error(`${name} must look like 30m, 12h or 7d, and be at most a year`)
  }
}

export function readDnsServer(value: string | undefined, name: string): string | undefined {
  if (value === undefined || isDnsServer(value)) return value
  throw new Error(`${name} must be an address, with or without a port, such as 10.0.0.53:5353`)
}

/** As in RFC 9116: a bare mail address becomes `mailto:`. */
export function readSecurityContacts(value: string | undefined, name: string): string[] {
  const contacts = (value ?? '')
    .split(',')
    .flatMap(entry => entry.trim() || [])
    .map(entry => (/^[^\s:]+@[^\s:]+$/.test(entry) ? `mailto:${entry}` : entry))
  if (contacts.every(entry => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(entry) && parseUrl(entry)))
    return contacts
  throw new Error(`${name} must be mail addresses or https addresses, separated by commas`)
}
