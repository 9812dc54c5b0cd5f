// Reads the settings from the environment, which main.ts passes in. table.ts lists them all.
import type { Policy } from '@waybill/transparency-log'
import { listVouchingDomains } from '../domain/sponsor.ts'
import { AUDIT_SINK_SETTINGS, type AuditSink } from './audit-sinks.ts'
import { CLIENT_VARIABLES } from './client-variables.ts'
import { type DatabaseConfig, readDatabaseConfig } from './database.ts'
import { type EvidenceConfig, readEvidenceConfig } from './evidence.ts'
import { type ListenerConfig, readListenerConfig } from './listeners.ts'
import { LOG_POLICY_SETTINGS } from './log-policy.ts'
import { type MessageConfig, readMessageConfig } from './messages.ts'
import { type OidcProvider, readOidcProviders } from './oidc.ts'
import { type OrgConfig, readOrgConfig } from './orgs.ts'
import { type ProcessConfig, readProcessConfig } from './process.ts'
import { type RateLimits, readRateLimits } from './rate-limits.ts'
import { listFileSettings, readSecretFiles } from './secret-files.ts'
import { type Environment, makeReader, SettingProblem } from './setting.ts'
import { readSignInConfig, type SignInConfig } from './sign-in.ts'
import { readSlowClientConfig, type SlowClientConfig } from './slow-clients.ts'
import { SECRET_NAMES, SETTING_NAMES } from './table.ts'
import { readTelemetryConfig, type TelemetryConfig } from './telemetry.ts'

export interface Config
  extends ListenerConfig,
    DatabaseConfig,
    ProcessConfig,
    EvidenceConfig,
    MessageConfig,
    SignInConfig,
    OrgConfig,
    SlowClientConfig,
    TelemetryConfig {
  oidc_providers: OidcProvider[]
  /** The mail domains of companies with one of several providers. */
  vouching_domains: string[]
  rate_limits: RateLimits
  audit_sinks: AuditSink[]
  /** The witnesses of logs. */
  log_policy: Policy | undefined
}

export function readConfig(given: Environment): Readonly<Config> {
  refuseUnknown(given)
  const environment = readSecretFiles(given, SECRET_NAMES)
  const oidc_providers = readOidcProviders(environment)
  const config: Config = {
    ...readListenerConfig(environment),
    ...readDatabaseConfig(environment),
    ...readProcessConfig(environment),
    ...readEvidenceConfig(environment),
    ...readMessageConfig(environment),
    ...readSignInConfig(environment),
    oidc_providers,
    vouching_domains: listVouchingDomains(oidc_providers),
    ...readOrgConfig(environment),
    rate_limits: readRateLimits(environment),
    ...readSlowClientConfig(environment),
    audit_sinks: makeReader(AUDIT_SINK_SETTINGS, environment)('WAYBILL_AUDIT_SINKS'),
    log_policy: makeReader(LOG_POLICY_SETTINGS, environment)('WAYBILL_LOG_POLICY'),
    ...readTelemetryConfig(environment),
  }
  refuseUnsafe(config, environment)
  return Object.freeze(config)
}

function refuseUnknown(environment: Environment): void {
  const known = new Set([...SETTING_NAMES, ...listFileSettings(SECRET_NAMES), ...CLIENT_VARIABLES])
  for (const name of Object.keys(environment)) {
    if (name.startsWith('WAYBILL_') && !known.has(name)) {
      throw new SettingProblem(`Unknown setting ${name}; docs/operate/settings.md lists the known ones`)
    }
  }
}

function refuseUnsafe(config: Config, environment: Environment): void {
  const { sso_required, oidc_providers, production, database_url, secret_key } = config
  if (sso_required && oidc_providers.length === 0) {
    throw new SettingProblem('WAYBILL_SSO_REQUIRED needs an identity provider, such as WAYBILL_OIDC_ISSUER')
  }
  if (!production) return
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new SettingProblem('NODE_TLS_REJECT_UNAUTHORIZED=0 switches TLS checks off; production refuses it')
  }
  if (database_url !== undefined && secret_key === undefined) {
    throw new SettingProblem('WAYBILL_SECRET_KEY is needed with an external DATABASE_URL in production')
  }
}
