// The settings of rate limits: how many requests each kind of traffic may send.
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

export const RATE_LIMIT_SETTINGS = {
  WAYBILL_RATE_LIMIT: defineSetting({
    meaning:
      'requests per key and process, such as `200/s`, `600/m` or `9000/h`; `off` for load tests ([limits](limits.md#rates))',
    default: '200/s',
    example: '600/m',
    parse: readRateLimit,
  }),
  WAYBILL_RATE_LIMIT_ANONYMOUS: defineOptional({
    meaning:
      'requests without a key, or with an invalid one, per client address (for IPv6, per /64 network) and process',
    unset: 'as `WAYBILL_RATE_LIMIT`',
    example: '20/s',
    parse: readOwnLimit,
  }),
  WAYBILL_RATE_LIMIT_SIGN_IN: defineOptional({
    meaning: 'sign-in requests, per client address and process',
    unset: 'as `WAYBILL_RATE_LIMIT`',
    example: '60/m',
    parse: readOwnLimit,
  }),
  WAYBILL_RATE_LIMIT_EXCHANGE: defineOptional({
    meaning: 'CI token exchanges, per client address and process',
    unset: 'as `WAYBILL_RATE_LIMIT`',
    example: 'off',
    parse: readOwnLimit,
  }),
} satisfies Settings

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

export function readRateLimits(environment: Environment): RateLimits {
  const read = makeReader(RATE_LIMIT_SETTINGS, environment)
  const keys = read('WAYBILL_RATE_LIMIT')
  const chooseLimit = (own: OwnLimit | undefined) => (own ? own.limit : keys)
  return {
    keys,
    anonymous: chooseLimit(read('WAYBILL_RATE_LIMIT_ANONYMOUS')),
    sign_in: chooseLimit(read('WAYBILL_RATE_LIMIT_SIGN_IN')),
    exchange: chooseLimit(read('WAYBILL_RATE_LIMIT_EXCHANGE')),
  }
}

/** Undefined: off. */
function readRateLimit(value: string, name: string): RateLimit | undefined {
  if (value === 'off') return undefined
  const match = /^([1-9]\d{0,8})\/([smh])$/.exec(value)
  const per_seconds = { s: 1, m: 60, h: 3600 }[match?.[2] ?? '']
  if (match && per_seconds) return { requests: Number(match[1]), per_seconds }
  throw new SettingProblem(`${name} must look like 200/s, 600/m or 9000/h, or be off`)
}

/** Tells a limit that is off from one that is not set. */
interface OwnLimit {
  limit: RateLimit | undefined
}

function readOwnLimit(value: string, name: string): OwnLimit {
  return { limit: readRateLimit(value, name) }
}
