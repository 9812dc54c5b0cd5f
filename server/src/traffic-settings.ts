// The settings about who calls how often: rate limits, and the proxies that say where a caller comes from.
import { type IpRange, rangeOf } from './egress/ip-range.ts'

export interface RateLimit {
  requests: number
  per_seconds: number
}

/** What is counted apart. */
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

/** Unset, it is what the limit per key is. */
export function readRateLimitOr(value: string | undefined, name: string) {
  const own = value === undefined ? undefined : { limit: readRateLimit(value, name) }
  return (per_key: RateLimit | undefined): RateLimit | undefined => (own ? own.limit : per_key)
}

/** Not everybody: then anybody could write where they come from. */
export function readTrustedProxies(value: string | undefined, name: string): IpRange[] {
  const ranges = (value ?? '')
    .split(',')
    .flatMap(entry => entry.trim() || [])
    .map(rangeOf)
  const trusted = ranges.filter(range => range !== undefined && range.prefix_bits > 0)
  if (trusted.length === ranges.length) return trusted as IpRange[]
  throw new Error(`${name} must be addresses or ranges such as 10.0.0.0/8, separated by commas`)
}
