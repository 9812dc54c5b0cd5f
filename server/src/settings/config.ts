// Reads the settings from the environment, which main.ts passes in. Every setting is one row below: name, meaning,
// default, reader. docs/operations.md has the same table, and a test compares the two.

import { resolve } from 'node:path'
import type { IpRange } from '@waybill/egress'
import type { Policy } from '@waybill/transparency-log'
import type { OrgCreation } from '../domain/org-creation.ts'
import type { Quotas } from '../domain/quotas.ts'
import { AUDIT_SINK_SETTINGS, type AuditSink } from './audit-sinks.ts'
import { CLIENT_VARIABLES } from './client-variables.ts'
import { DATABASE_SETTINGS, type DatabaseConfig, readDatabaseConfig } from './database.ts'
import { LISTENER_SETTINGS, type ListenerConfig, readListenerConfig } from './listeners.ts'
import { readLogPolicy } from './log-policy.ts'
import { findDuplicate, OIDC_SETTINGS, type OidcProvider, readOidcConfig } from './oidc.ts'
import {
  defineSecret,
  defineSetting,
  readCommaList,
  readEgressAllow,
  readIssuers,
  readNumberBetween,
  readOneOf,
  readOptionalText,
  readOrgName,
  readPublicUrl,
  readSeconds,
  readSecretKey,
  readTextOr,
  readUrlWithScheme,
  type Setting,
  SettingProblem,
  withSettingProblem,
} from './readers.ts'
import { listFileSettings, readSecretFiles } from './secret-files.ts'
import { readTelemetryConfig, TELEMETRY_SETTINGS, type TelemetryConfig } from './telemetry.ts'
import {
  type RateLimits,
  readDnsServer,
  readDurationOr,
  readQuota,
  readRateLimit,
  readRateLimitOr,
  readSecurityContacts,
  readTrustedProxies,
} from './traffic.ts'

export { SettingProblem } from './readers.ts'
export { NO_RATE_LIMITS, type RateLimit, type RateLimits, type Traffic } from './traffic.ts'

const DEFAULT_RETRY_SCHEDULE = '0,5,300,1800,7200,18000,36000,36000'

const ORCHESTRATED_DRAIN_SECONDS = 5

const DEFAULT_CI_ISSUERS = 'https://token.actions.githubusercontent.com,https://gitlab.com'

const SETTINGS = {
  ...LISTENER_SETTINGS,
  ...DATABASE_SETTINGS,
  WAYBILL_DATA_DIR: defineSetting(
    'embedded database, evidence files, generated secrets (mode 0700)',
    './data',
    (value: string | undefined) => resolve(value ?? './data'),
  ),
  WAYBILL_BASE_URL: defineSetting(
    'public URL; links and mails are built from it',
    'from host and port',
    readPublicUrl,
  ),
  WAYBILL_REGION: defineSetting(
    'name of the regional deployment, shown in API and UI',
    'unset',
    readOptionalText,
  ),
  WAYBILL_DRAIN_SECONDS: defineSetting(
    'after SIGTERM or SIGINT, how long /ready fails while requests are still accepted',
    '0; 5 in Kubernetes',
    (value, name) => (value === undefined ? undefined : readNumberBetween(0, 3600, 0)(value, name)),
  ),
  WAYBILL_ROLE: defineSetting(
    'what this process does: all, serve or work',
    'all',
    readOneOf('all', 'serve', 'work'),
  ),
  WAYBILL_ORG: defineSetting(
    'name of the shared organization created at the first start',
    'demo-org',
    readOrgName('demo-org'),
  ),
  WAYBILL_ORG_CREATION: defineSetting(
    'who may create shared organizations: anyone, admins (of a shared organization) or nobody (only the admin command)',
    'anyone',
    readOneOf('anyone', 'admins', 'nobody'),
  ),
  WAYBILL_RATE_LIMIT: defineSetting(
    'requests per key, such as 200/s or 600/m; off for load tests',
    '200/s',
    withSettingProblem(readRateLimit),
  ),
  WAYBILL_RATE_LIMIT_ANONYMOUS: defineSetting(
    'requests per network without a key, or with a wrong one',
    'as WAYBILL_RATE_LIMIT',
    withSettingProblem(readRateLimitOr),
  ),
  WAYBILL_RATE_LIMIT_SIGN_IN: defineSetting(
    'requests per network to sign in',
    'as WAYBILL_RATE_LIMIT',
    withSettingProblem(readRateLimitOr),
  ),
  WAYBILL_RATE_LIMIT_EXCHANGE: defineSetting(
    'exchanges of CI tokens per network',
    'as WAYBILL_RATE_LIMIT',
    withSettingProblem(readRateLimitOr),
  ),
  WAYBILL_TRUSTED_PROXIES: defineSetting(
    'addresses or CIDRs of proxies whose X-Forwarded-For and Forwarded are trusted',
    'none',
    withSettingProblem(readTrustedProxies),
  ),
  WAYBILL_ORG_REQUESTS_PER_SECOND: defineSetting(
    'quota of an organization: requests per second of all its keys together; off for none',
    'off',
    withSettingProblem(readQuota),
  ),
  WAYBILL_ORG_EVIDENCE_BYTES: defineSetting(
    'quota of an organization: bytes of evidence stored; off for none',
    'off',
    withSettingProblem(readQuota),
  ),
  WAYBILL_ORG_JQ_SECONDS_PER_HOUR: defineSetting(
    'quota of an organization: processor time of jq programs and schemas per hour; off for none',
    'off',
    withSettingProblem(readQuota),
  ),
  WAYBILL_LOG_LEVEL: defineSetting(
    'fatal, error, warn, info, debug, trace or silent; JSON lines on stderr',
    'info',
    readOneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  ),
  WAYBILL_SECRET_KEY: defineSecret(
    'encrypts secrets at rest; 32 or more characters',
    'generated in the data directory',
    readSecretKey,
  ),
  WAYBILL_SECURITY_CONTACT: defineSetting(
    'contact for reporting vulnerabilities: mail addresses or https URLs, for /.well-known/security.txt',
    'the security policy that comes along',
    withSettingProblem(readSecurityContacts),
  ),
  WAYBILL_EVIDENCE_URL: defineSetting(
    'where attachments are stored: file:///… or s3://bucket/prefix?endpoint=…&region=…',
    'the data directory',
    readUrlWithScheme('file', 's3'),
  ),
  AWS_ACCESS_KEY_ID: defineSecret('key id for an s3:// evidence store', 'unset', readOptionalText),
  AWS_SECRET_ACCESS_KEY: defineSecret('secret for an s3:// evidence store', 'unset', readOptionalText),
  WAYBILL_LOG_POLICY: defineSetting(
    'witnesses that cosign the logs: the text of a C2SP tlog-policy, or file:///… with it',
    'none',
    withSettingProblem(readLogPolicy),
  ),
  ...AUDIT_SINK_SETTINGS,
  ...TELEMETRY_SETTINGS,
  WAYBILL_SMTP_URL: defineSecret(
    'mail server',
    'unset: mails become files',
    readUrlWithScheme('smtp', 'smtps'),
  ),
  WAYBILL_MAIL_FROM: defineSetting('sender of mails', 'unset', readOptionalText),
  WAYBILL_EGRESS_ALLOW: defineSetting(
    'private CIDRs or host names that webhooks may reach',
    'empty',
    readEgressAllow,
  ),
  WAYBILL_DNS_SERVER: defineSetting(
    'resolver used for webhooks',
    'system resolver',
    withSettingProblem(readDnsServer),
  ),
  WAYBILL_RETRY_SCHEDULE: defineSetting(
    'seconds between delivery attempts',
    DEFAULT_RETRY_SCHEDULE,
    readSeconds(DEFAULT_RETRY_SCHEDULE),
  ),
  WAYBILL_KEY_EXPIRY_SCAN_SECONDS: defineSetting(
    'how often the service scans for expiring keys',
    '3600',
    readNumberBetween(1, 86_400, 3600),
  ),
  WAYBILL_DIRECTORIES: defineSetting(
    'proved: SCIM provisioning makes people members only if the organization has proven their mail domain, and invites everyone else; trusted: it makes everyone a member, for installations of one company',
    'proved',
    readOneOf('proved', 'trusted'),
  ),
  ...OIDC_SETTINGS,
  WAYBILL_CI_ISSUERS: defineSetting(
    'issuers whose tokens CI jobs may exchange for keys; off for none',
    DEFAULT_CI_ISSUERS,
    readIssuers(DEFAULT_CI_ISSUERS),
  ),
  WAYBILL_SESSION_IDLE: defineSetting(
    'how long a session lasts without a request, such as 30m, 12h or 7d',
    '12h',
    withSettingProblem(readDurationOr('12h')),
  ),
  WAYBILL_SESSION_MAX: defineSetting(
    'maximum duration of a session',
    '7d',
    withSettingProblem(readDurationOr('7d')),
  ),
  WAYBILL_SSO_REQUIRED: defineSetting(
    'true: nobody signs in by mail, except those in WAYBILL_BREAK_GLASS',
    'false',
    readOneOf('false', 'true'),
  ),
  WAYBILL_BREAK_GLASS: defineSetting(
    'names of users who may sign in by mail although single sign-on is required',
    'none',
    readCommaList,
  ),
  NODE_ENV: defineSetting(
    'production refuses unsafe settings',
    'production in npm start',
    readTextOr('development'),
  ),
} satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof SETTINGS

export interface Config extends DatabaseConfig, ListenerConfig, TelemetryConfig {
  data_dir: string
  base_url: string | undefined
  region: string | undefined
  role: 'all' | 'serve' | 'work'
  /** Between a signal and the end of the listener. */
  drain_ms: number
  first_org: string
  rate_limits: RateLimits
  trusted_proxies: IpRange[]
  org_creation: OrgCreation
  /** Quotas of organizations without their own. */
  quotas: Quotas
  log_level: string
  secret_key: string | undefined
  security_contacts: string[]
  evidence_url: string | undefined
  s3_credentials: { access_key_id: string | undefined; secret_access_key: string | undefined }
  /** The witnesses of logs. */
  log_policy: Policy | undefined
  audit_sinks: AuditSink[]
  smtp_url: string | undefined
  mail_from: string | undefined
  egress_allow: string[]
  dns_server: string | undefined
  retry_schedule_s: number[]
  key_expiry_scan_s: number
  directories: 'proved' | 'trusted'
  oidc_providers: OidcProvider[]
  session_limits: { idle_ms: number; max_ms: number }
  sso_required: boolean
  break_glass: string[]
  ci_issuers: string[]
  production: boolean
}

export const documentedSettings = Object.entries(SETTINGS).map(([name, { meaning, shown_default }]) => ({
  name,
  meaning,
  shown_default,
}))

export const secretSettings = Object.entries(SETTINGS).flatMap(([name, { is_secret }]) =>
  is_secret ? [name] : [],
)

export function readConfig(given: Readonly<Record<string, string | undefined>>): Readonly<Config> {
  refuseUnknown(given)
  const environment = readSecretFiles(given, secretSettings)
  const read = <N extends SettingName>(name: N) => {
    const value = environment[name]
    return SETTINGS[name].read(value === '' ? undefined : value, name) as ReturnType<
      (typeof SETTINGS)[N]['read']
    >
  }
  const config: Config = {
    ...readListenerConfig(read),
    ...readDatabaseConfig(read),
    ...readTelemetryConfig(read),
    data_dir: read('WAYBILL_DATA_DIR'),
    base_url: read('WAYBILL_BASE_URL'),
    region: read('WAYBILL_REGION'),
    role: read('WAYBILL_ROLE'),
    drain_ms: 1000 * (read('WAYBILL_DRAIN_SECONDS') ?? chooseDrainSeconds(environment)),
    first_org: read('WAYBILL_ORG'),
    rate_limits: {
      keys: read('WAYBILL_RATE_LIMIT'),
      anonymous: read('WAYBILL_RATE_LIMIT_ANONYMOUS')(read('WAYBILL_RATE_LIMIT')),
      sign_in: read('WAYBILL_RATE_LIMIT_SIGN_IN')(read('WAYBILL_RATE_LIMIT')),
      exchange: read('WAYBILL_RATE_LIMIT_EXCHANGE')(read('WAYBILL_RATE_LIMIT')),
    },
    trusted_proxies: read('WAYBILL_TRUSTED_PROXIES'),
    org_creation: read('WAYBILL_ORG_CREATION'),
    quotas: {
      requests_per_second: read('WAYBILL_ORG_REQUESTS_PER_SECOND'),
      evidence_bytes: read('WAYBILL_ORG_EVIDENCE_BYTES'),
      jq_seconds_per_hour: read('WAYBILL_ORG_JQ_SECONDS_PER_HOUR'),
    },
    log_level: read('WAYBILL_LOG_LEVEL'),
    secret_key: read('WAYBILL_SECRET_KEY'),
    security_contacts: read('WAYBILL_SECURITY_CONTACT'),
    evidence_url: read('WAYBILL_EVIDENCE_URL'),
    s3_credentials: {
      access_key_id: read('AWS_ACCESS_KEY_ID'),
      secret_access_key: read('AWS_SECRET_ACCESS_KEY'),
    },
    log_policy: read('WAYBILL_LOG_POLICY'),
    audit_sinks: read('WAYBILL_AUDIT_SINKS'),
    smtp_url: read('WAYBILL_SMTP_URL'),
    mail_from: read('WAYBILL_MAIL_FROM'),
    egress_allow: read('WAYBILL_EGRESS_ALLOW'),
    dns_server: read('WAYBILL_DNS_SERVER'),
    retry_schedule_s: read('WAYBILL_RETRY_SCHEDULE'),
    key_expiry_scan_s: read('WAYBILL_KEY_EXPIRY_SCAN_SECONDS'),
    directories: read('WAYBILL_DIRECTORIES'),
    oidc_providers: readOidcConfig(read),
    session_limits: { idle_ms: read('WAYBILL_SESSION_IDLE'), max_ms: read('WAYBILL_SESSION_MAX') },
    sso_required: read('WAYBILL_SSO_REQUIRED') === 'true',
    break_glass: read('WAYBILL_BREAK_GLASS'),
    ci_issuers: read('WAYBILL_CI_ISSUERS'),
    production: read('NODE_ENV') === 'production',
  }
  refuseIncomplete(config)
  refuseUnsafe(config, environment)
  return Object.freeze(config)
}

function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  const known = new Set([...Object.keys(SETTINGS), ...listFileSettings(secretSettings), ...CLIENT_VARIABLES])
  for (const name of Object.keys(environment)) {
    if (name.startsWith('WAYBILL_') && !known.has(name)) {
      throw new SettingProblem(`Unknown setting ${name}; docs/operations.md lists the known ones`)
    }
  }
}

/** An orchestrator stops sending requests only after it has seen /ready fail; in a terminal nobody asks. */
function chooseDrainSeconds({
  KUBERNETES_SERVICE_HOST,
}: Readonly<Record<string, string | undefined>>): number {
  return KUBERNETES_SERVICE_HOST ? ORCHESTRATED_DRAIN_SECONDS : 0
}

function refuseIncomplete(config: Config): void {
  const { smtp_url, mail_from, oidc_providers, sso_required } = config
  if (config.database_replica_url !== undefined && config.database_url === undefined) {
    throw new SettingProblem('DATABASE_REPLICA_URL needs DATABASE_URL')
  }
  if (smtp_url !== undefined && mail_from === undefined) {
    throw new SettingProblem('WAYBILL_MAIL_FROM is needed with WAYBILL_SMTP_URL')
  }
  if (sso_required && oidc_providers.length === 0) {
    throw new SettingProblem('WAYBILL_SSO_REQUIRED needs an identity provider, such as WAYBILL_OIDC_ISSUER')
  }
  const problem = findDuplicate(oidc_providers)
  if (problem !== undefined) throw new SettingProblem(`WAYBILL_OIDC_PROVIDERS: ${problem}`)
}

function refuseUnsafe(config: Config, environment: Readonly<Record<string, string | undefined>>): void {
  if (!config.production) return
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new SettingProblem('NODE_TLS_REJECT_UNAUTHORIZED=0 switches TLS checks off; production refuses it')
  }
  if (config.database_url !== undefined && config.secret_key === undefined) {
    throw new SettingProblem('WAYBILL_SECRET_KEY is needed with an external DATABASE_URL in production')
  }
}
