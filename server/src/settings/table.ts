// The table of all settings, by group. Validation, `serve --help` and docs/operate/settings.md follow from it.
import { AUDIT_SINK_SETTINGS } from './audit-sinks.ts'
import { DATABASE_SETTINGS } from './database.ts'
import { EVIDENCE_SETTINGS } from './evidence.ts'
import { LISTENER_SETTINGS } from './listeners.ts'
import { LOG_POLICY_SETTINGS } from './log-policy.ts'
import { MESSAGE_SETTINGS } from './messages.ts'
import { OIDC_SETTINGS } from './oidc.ts'
import { ORG_SETTINGS } from './orgs.ts'
import { PROCESS_SETTINGS } from './process.ts'
import { RATE_LIMIT_SETTINGS } from './rate-limits.ts'
import type { Settings } from './setting.ts'
import { SIGN_IN_SETTINGS } from './sign-in.ts'
import { SLOW_CLIENT_SETTINGS } from './slow-clients.ts'
import { TELEMETRY_SETTINGS } from './telemetry.ts'

export const SETTING_GROUPS: Readonly<Record<string, Settings>> = {
  'Addresses and ports': LISTENER_SETTINGS,
  Database: DATABASE_SETTINGS,
  Process: PROCESS_SETTINGS,
  Evidence: EVIDENCE_SETTINGS,
  'Mail and webhooks': MESSAGE_SETTINGS,
  'Sign-in, SCIM and keyless CI': SIGN_IN_SETTINGS,
  'Identity providers': OIDC_SETTINGS,
  Organizations: ORG_SETTINGS,
  'Rate limits': RATE_LIMIT_SETTINGS,
  'Slow clients': SLOW_CLIENT_SETTINGS,
  Audit: { ...AUDIT_SINK_SETTINGS, ...LOG_POLICY_SETTINGS },
  OpenTelemetry: TELEMETRY_SETTINGS,
}

export const SETTINGS: Settings = Object.assign({}, ...Object.values(SETTING_GROUPS))

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS)

export const SECRET_NAMES: readonly string[] = SETTING_NAMES.filter(name => SETTINGS[name]?.is_secret)
