// What the environment means, which main.ts hands over. Every setting is one row below: name, meaning, default, how it is read.
// docs/operations.md prints the same table and a test compares the two.

import { resolve } from 'node:path'
import { readAllow } from './egress/allow.ts'
import { isDnsServer } from './egress/resolve.ts'
import { urlOf } from './lib/url.ts'
import { type OidcProvider, oneProvider, readProviders, sharedBetween } from './oidc-settings.ts'

/** A bad or unknown setting: the start is refused with this one line. */
export class SettingProblem extends Error {}

interface Setting<T> {
  readonly meaning: string
  readonly shown_default: string
  read(value: string | undefined, name: string): T
}

export interface RateLimit {
  requests: number
  per_seconds: number
}

const DEFAULT_RETRY_SCHEDULE = '0,5,300,1800,7200,18000,36000,36000'

const DEFAULT_CI_ISSUERS = 'https://token.actions.githubusercontent.com,https://gitlab.com'

const SETTINGS = {
  PORT: setting('port to listen on', '8001', numberBetween(0, 65_535, 8001)),
  HOST: setting('address to listen on', '127.0.0.1', textOr('127.0.0.1')),
  DATABASE_URL: setting('PostgreSQL 15 or newer; unset starts the embedded one', 'unset', databaseUrl),
  WAYBILL_DATA_DIR: setting(
    'embedded database, evidence files, generated secrets (mode 0700)',
    './data',
    (value: string | undefined) => resolve(value ?? './data'),
  ),
  WAYBILL_BASE_URL: setting(
    'public address; links and mails are built from it',
    'from host and port',
    publicUrl,
  ),
  WAYBILL_REGION: setting('name of the regional deployment, shown in API and UI', 'unset', optionalText),
  WAYBILL_ROLE: setting('what this process does: all, serve or work', 'all', oneOf('all', 'serve', 'work')),
  WAYBILL_ORG: setting('name of the shared org made at the first start', 'demo-org', orgName('demo-org')),
  WAYBILL_ORG_CREATION: setting(
    'who may create shared organizations: anyone, admins (of a shared organization) or nobody (only the admin program)',
    'anyone',
    oneOf('anyone', 'admins', 'nobody'),
  ),
  WAYBILL_RATE_LIMIT: setting(
    'requests per key, such as 200/s or 600/m; off for load tests',
    '200/s',
    rateLimit,
  ),
  WAYBILL_ORG_REQUESTS_PER_SECOND: setting(
    'quota of an organization: requests per second of all its keys together; off for none',
    'off',
    quota,
  ),
  WAYBILL_ORG_EVIDENCE_BYTES: setting(
    'quota of an organization: bytes of evidence stored; off for none',
    'off',
    quota,
  ),
  WAYBILL_ORG_JQ_SECONDS_PER_HOUR: setting(
    'quota of an organization: processor time of jq programs and schemas per hour; off for none',
    'off',
    quota,
  ),
  WAYBILL_LOG_LEVEL: setting(
    'fatal, error, warn, info, debug, trace or silent; JSON lines on stderr',
    'info',
    oneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  ),
  WAYBILL_SECRET_KEY: setting(
    'encrypts secrets at rest; 32 or more characters',
    'generated in the data directory',
    secretKey,
  ),
  WAYBILL_EVIDENCE_URL: setting(
    'where attachments go: file:///… or s3://bucket/prefix?endpoint=…&region=…',
    'the data directory',
    urlWithScheme('file', 's3'),
  ),
  AWS_ACCESS_KEY_ID: setting('key id for an s3:// evidence store', 'unset', optionalText),
  AWS_SECRET_ACCESS_KEY: setting('secret for an s3:// evidence store', 'unset', optionalText),
  WAYBILL_SMTP_URL: setting('mail server', 'unset: mails become files', urlWithScheme('smtp', 'smtps')),
  WAYBILL_MAIL_FROM: setting('sender of mails', 'unset', optionalText),
  WAYBILL_EGRESS_ALLOW: setting('private CIDRs or host names that webhooks may reach', 'empty', egressAllow),
  WAYBILL_DNS_SERVER: setting('resolver used for webhooks', 'system resolver', dnsServer),
  WAYBILL_RETRY_SCHEDULE: setting(
    'seconds between delivery attempts',
    DEFAULT_RETRY_SCHEDULE,
    listOfSeconds(DEFAULT_RETRY_SCHEDULE),
  ),
  WAYBILL_KEY_EXPIRY_SCAN_SECONDS: setting(
    'how often expiring keys are looked for',
    '3600',
    numberBetween(1, 86_400, 3600),
  ),
  WAYBILL_DIRECTORIES: setting(
    'proved: a directory (SCIM) makes people members only if its organization has proved their mail domain, and invites everyone else; trusted: every directory speaks for every address, for installations of one company',
    'proved',
    oneOf('proved', 'trusted'),
  ),
  WAYBILL_OIDC_ISSUER: setting('identity provider', 'unset', urlWithScheme('https', 'http')),
  WAYBILL_OIDC_CLIENT_ID: setting('client id at the identity provider', 'unset', optionalText),
  WAYBILL_OIDC_CLIENT_SECRET: setting('client secret at the identity provider', 'unset', optionalText),
  WAYBILL_CI_ISSUERS: setting(
    'whose tokens CI jobs may exchange for keys; off for none',
    DEFAULT_CI_ISSUERS,
    issuerList(DEFAULT_CI_ISSUERS),
  ),
  WAYBILL_OIDC_NAME: setting(
    'what the sign-in button calls the identity provider',
    'single sign-on',
    textOr('single sign-on'),
  ),
  WAYBILL_OIDC_PROVIDERS: setting(
    'more identity providers, as a JSON list; one per mail domain if wanted',
    'empty',
    oidcProviders,
  ),
  NODE_ENV: setting('production refuses unsafe settings', 'production in npm start', textOr('development')),
} satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof SETTINGS

export interface Config {
  port: number
  host: string
  database_url: string | undefined
  data_dir: string
  base_url: string | undefined
  region: string | undefined
  role: 'all' | 'serve' | 'work'
  first_org: string
  org_creation: 'anyone' | 'admins' | 'nobody'
  rate_limit: RateLimit | undefined
  /** Of an organization that has none of its own. */
  quotas: {
    requests_per_second: number | null
    evidence_bytes: number | null
    jq_seconds_per_hour: number | null
  }
  log_level: string
  secret_key: string | undefined
  evidence_url: string | undefined
  s3_credentials: { access_key_id: string | undefined; secret_access_key: string | undefined }
  smtp_url: string | undefined
  mail_from: string | undefined
  egress_allow: string[]
  dns_server: string | undefined
  retry_schedule_s: number[]
  key_expiry_scan_s: number
  directories: 'proved' | 'trusted'
  oidc_providers: OidcProvider[]
  ci_issuers: string[]
  production: boolean
}

export const documentedSettings = Object.entries(SETTINGS).map(([name, { meaning, shown_default }]) => ({
  name,
  meaning,
  shown_default,
}))

export function readConfig(environment: Record<string, string | undefined>): Readonly<Config> {
  for (const name of Object.keys(environment)) {
    if (name.startsWith('WAYBILL_') && !(name in SETTINGS)) {
      throw new SettingProblem(`Unknown setting ${name}; docs/operations.md lists the known ones`)
    }
  }
  const read = <N extends SettingName>(name: N) => {
    const given = environment[name]
    return SETTINGS[name].read(given === '' ? undefined : given, name) as ReturnType<
      (typeof SETTINGS)[N]['read']
    >
  }
  const config: Config = {
    port: read('PORT'),
    host: read('HOST'),
    database_url: read('DATABASE_URL'),
    data_dir: read('WAYBILL_DATA_DIR'),
    base_url: read('WAYBILL_BASE_URL'),
    region: read('WAYBILL_REGION'),
    role: read('WAYBILL_ROLE'),
    first_org: read('WAYBILL_ORG'),
    org_creation: read('WAYBILL_ORG_CREATION'),
    rate_limit: read('WAYBILL_RATE_LIMIT'),
    quotas: {
      requests_per_second: read('WAYBILL_ORG_REQUESTS_PER_SECOND'),
      evidence_bytes: read('WAYBILL_ORG_EVIDENCE_BYTES'),
      jq_seconds_per_hour: read('WAYBILL_ORG_JQ_SECONDS_PER_HOUR'),
    },
    log_level: read('WAYBILL_LOG_LEVEL'),
    secret_key: read('WAYBILL_SECRET_KEY'),
    evidence_url: read('WAYBILL_EVIDENCE_URL'),
    s3_credentials: {
      access_key_id: read('AWS_ACCESS_KEY_ID'),
      secret_access_key: read('AWS_SECRET_ACCESS_KEY'),
    },
    smtp_url: read('WAYBILL_SMTP_URL'),
    mail_from: read('WAYBILL_MAIL_FROM'),
    egress_allow: read('WAYBILL_EGRESS_ALLOW'),
    dns_server: read('WAYBILL_DNS_SERVER'),
    retry_schedule_s: read('WAYBILL_RETRY_SCHEDULE'),
    key_expiry_scan_s: read('WAYBILL_KEY_EXPIRY_SCAN_SECONDS'),
    directories: read('WAYBILL_DIRECTORIES'),
    oidc_providers: [
      ...orRefuse(() =>
        oneProvider({
          name: read('WAYBILL_OIDC_NAME'),
          issuer: read('WAYBILL_OIDC_ISSUER'),
          client_id: read('WAYBILL_OIDC_CLIENT_ID'),
          client_secret: read('WAYBILL_OIDC_CLIENT_SECRET'),
        }),
      ),
      ...read('WAYBILL_OIDC_PROVIDERS'),
    ],
    ci_issuers: read('WAYBILL_CI_ISSUERS'),
    production: read('NODE_ENV') === 'production',
  }
  refuseIncomplete(config)
  refuseUnsafe(config, environment)
  return Object.freeze(config)
}

function refuseIncomplete({ smtp_url, mail_from, oidc_providers }: Config): void {
  if (smtp_url !== undefined && mail_from === undefined) {
    throw new SettingProblem('WAYBILL_MAIL_FROM is needed with WAYBILL_SMTP_URL')
  }
  const problem = sharedBetween(oidc_providers)
  if (problem !== undefined) throw new SettingProblem(`WAYBILL_OIDC_PROVIDERS: ${problem}`)
}

function refuseUnsafe(config: Config, environment: Record<string, string | undefined>): void {
  if (!config.production) return
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new SettingProblem('NODE_TLS_REJECT_UNAUTHORIZED=0 switches TLS checks off; production refuses it')
  }
  if (config.database_url !== undefined && config.secret_key === undefined) {
    throw new SettingProblem('WAYBILL_SECRET_KEY is needed with an external DATABASE_URL in production')
  }
}

function setting<T>(
  meaning: string,
  shown_default: string,
  read: (value: string | undefined, name: string) => T,
): Setting<T> {
  return { meaning, shown_default, read }
}

function textOr(otherwise: string) {
  return (value: string | undefined): string => value ?? otherwise
}

function optionalText(value: string | undefined): string | undefined {
  return value
}

function numberBetween(least: number, most: number, otherwise: number) {
  return (value: string | undefined, name: string): number => {
    const number = value === undefined ? otherwise : /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new SettingProblem(`${name} must be a whole number from ${least} to ${most}`)
  }
}

/** The first choice is the default. */
function oneOf<const T extends string>(...choices: [T, ...T[]]) {
  return (value: string | undefined, name: string): T => {
    if (value === undefined) return choices[0]
    const chosen = choices.find(choice => choice === value)
    if (chosen !== undefined) return chosen
    throw new SettingProblem(`${name} must be one of ${choices.join(', ')}`)
  }
}

function databaseUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^postgres(ql)?:\/\//.test(value)) return value
  throw new SettingProblem(`${name} must begin with postgres:// or postgresql://`)
}

function publicUrl(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  if (urlOf(value) && /^https?:\/\//.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(`${name} must be an http or https address`)
}

function urlWithScheme(...schemes: string[]) {
  return (value: string | undefined, name: string): string | undefined => {
    if (value === undefined) return undefined
    const url = urlOf(value)
    if (url && schemes.includes(url.protocol.slice(0, -1))) return value
    throw new SettingProblem(`${name} must begin with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`)
  }
}

function commaList(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap(entry => entry.trim() || [])
}

function egressAllow(value: string | undefined, name: string): string[] {
  const entries = commaList(value)
  if (readAllow(entries)) return entries
  throw new SettingProblem(
    `${name} must be ranges such as 10.0.0.0/8, addresses or host names, separated by commas`,
  )
}

function dnsServer(value: string | undefined, name: string): string | undefined {
  if (value === undefined || isDnsServer(value)) return value
  throw new SettingProblem(`${name} must be an address, with or without a port, such as 10.0.0.53:5353`)
}

/** What is sent to them in the clear could be answered by anybody, unless it stays on this host. */
function issuerList(otherwise: string) {
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

function listOfSeconds(otherwise: string) {
  return (value: string | undefined, name: string): number[] => {
    const entries = (value ?? otherwise).split(',').map(entry => entry.trim())
    if (entries.every(entry => /^\d{1,7}$/.test(entry))) return entries.map(Number)
    throw new SettingProblem(`${name} must be whole seconds separated by commas, such as 0,5,300`)
  }
}

function orgName(otherwise: string) {
  return (value: string | undefined, name: string): string => {
    if (value === undefined) return otherwise
    if (/^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/.test(value)) return value
    throw new SettingProblem(`${name} must be letters, digits, hyphens, dots or underscores`)
  }
}

function rateLimit(value: string | undefined, name: string): RateLimit | undefined {
  if (value === 'off') return undefined
  const match = /^([1-9]\d{0,8})\/([smh])$/.exec(value ?? '200/s')
  const per_seconds = { s: 1, m: 60, h: 3600 }[match?.[2] ?? '']
  if (match && per_seconds) return { requests: Number(match[1]), per_seconds }
  throw new SettingProblem(`${name} must look like 200/s, 600/m or 9000/h, or be off`)
}

function quota(value: string | undefined, name: string): number | null {
  if (value === undefined || value === 'off') return null
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= Number.MAX_SAFE_INTEGER) return number
  throw new SettingProblem(`${name} must be a whole number from 1, or be off`)
}

function oidcProviders(value: string | undefined, name: string): OidcProvider[] {
  return orRefuse(() => readProviders(value, name))
}

/** A problem with what makes up several settings is told like one with any other. */
function orRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingProblem((error as Error).message)
  }
}

function secretKey(value: string | undefined, name: string): string | undefined {
  if (value === undefined || value.length >= 32) return value
  throw new SettingProblem(`${name} must have 32 characters or more`)
}
