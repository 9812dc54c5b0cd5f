// The sign-in settings: sessions, required single sign-on, SCIM provisioning, and the issuers of CI tokens.
import { isIssuer, readCommaList, readOneOf } from './readers.ts'
import { defineSetting, type Environment, makeReader, SettingProblem, type Settings } from './setting.ts'

export const SIGN_IN_SETTINGS = {
  WAYBILL_SESSION_IDLE: defineSetting({
    meaning: 'how long a session lasts without a request: minutes, hours or days, at most a year',
    default: '12h',
    example: '30m',
    parse: readDuration,
  }),
  WAYBILL_SESSION_MAX: defineSetting({
    meaning: 'maximum duration of a session; a change also applies to existing sessions',
    default: '7d',
    example: '1d',
    parse: readDuration,
  }),
  WAYBILL_SSO_REQUIRED: defineSetting({
    meaning:
      '`true`: nobody signs in by mail, except the users in `WAYBILL_BREAK_GLASS`. Requires an identity provider; see [single sign-on](people.md#require-single-sign-on)',
    default: 'false',
    example: 'true',
    parse: readOneOf('false', 'true'),
  }),
  WAYBILL_BREAK_GLASS: defineSetting({
    meaning:
      'names of users who may sign in by mail although single sign-on is required, separated by commas',
    default: '',
    example: 'ada,bob',
    parse: readCommaList,
  }),
  WAYBILL_DIRECTORIES: defineSetting({
    meaning:
      'whom SCIM clients may add without an invitation. `proved`: people whose mail domain the organization has proved become members, everyone else is invited. `trusted`: everyone becomes a member; only for an installation that serves one company',
    default: 'proved',
    example: 'trusted',
    parse: readOneOf('proved', 'trusted'),
  }),
  WAYBILL_CI_ISSUERS: defineSetting({
    meaning:
      'issuers whose tokens CI jobs can exchange for keys: `https://` URLs (`http://` only on this host), separated by commas. Trust rules can name only these issuers, and Waybill fetches keys only from them; `off` for none; see [keyless CI](people.md#keyless-ci)',
    default: 'https://token.actions.githubusercontent.com,https://gitlab.com',
    example: 'https://gitlab.acme.example',
    parse: readIssuers,
  }),
} satisfies Settings

export interface SignInConfig {
  session_limits: { idle_ms: number; max_ms: number }
  sso_required: boolean
  break_glass: string[]
  directories: 'proved' | 'trusted'
  ci_issuers: string[]
}

export function readSignInConfig(environment: Environment): SignInConfig {
  const read = makeReader(SIGN_IN_SETTINGS, environment)
  return {
    session_limits: { idle_ms: read('WAYBILL_SESSION_IDLE'), max_ms: read('WAYBILL_SESSION_MAX') },
    sso_required: read('WAYBILL_SSO_REQUIRED') === 'true',
    break_glass: read('WAYBILL_BREAK_GLASS'),
    directories: read('WAYBILL_DIRECTORIES'),
    ci_issuers: read('WAYBILL_CI_ISSUERS'),
  }
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** In milliseconds, at most a year. */
function readDuration(value: string, name: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(value) ?? []
  const duration_ms = Number(count) * UNITS_MS[(unit ?? 'm') as keyof typeof UNITS_MS]
  if (duration_ms <= 366 * UNITS_MS.d) return duration_ms
  throw new SettingProblem(`${name} must look like 30m, 12h or 7d, and be at most a year`)
}

function readIssuers(value: string, name: string): string[] {
  if (value === 'off') return []
  const entries = readCommaList(value)
  if (entries.length > 0 && entries.every(isIssuer)) return entries
  throw new SettingProblem(`${name} must be https addresses separated by commas, or be off`)
}
