// The process settings: its role, its files and secret key, and its information about itself.
import { resolve } from 'node:path'
import { parseUrl } from '../lib/url.ts'
import { readCommaList, readNumberBetween, readOneOf, readText } from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

const ORCHESTRATED_DRAIN_SECONDS = 5
const MS_PER_SECOND = 1_000

export const PROCESS_SETTINGS = {
  NODE_ENV: defineOptional({
    meaning:
      '`production` refuses unsafe settings: `NODE_TLS_REJECT_UNAUTHORIZED=0`, an external database without `WAYBILL_SECRET_KEY`, and a database user that can bypass row-level security',
    unset: '`production` in `npm start` and in released versions',
    example: 'production',
    parse: readText,
  }),
  WAYBILL_ROLE: defineSetting({
    meaning:
      'what this process does: `all`, `serve` (no worker, no re-evaluation) or `work` (only the port of `WAYBILL_METRICS_PORT`, if set); see [several processes](scale.md#several-processes)',
    default: 'all',
    example: 'serve',
    parse: readOneOf('all', 'serve', 'work'),
  }),
  WAYBILL_DATA_DIR: defineSetting({
    meaning:
      'embedded database and its credentials, evidence files, incoming attachments, generated secrets, mails without a mail server (mode 0700); see [data directory](install.md#data-directory)',
    default: './data',
    example: '/var/lib/waybill',
    parse: value => resolve(value),
  }),
  WAYBILL_SECRET_KEY: defineOptional({
    meaning:
      'encrypts secrets at rest; 32 or more characters. Production mode requires it with `DATABASE_URL`',
    unset: 'generated in the data directory',
    example: 'the-output-of-openssl-rand-base64-48',
    is_secret: true,
    parse: readSecretKey,
  }),
  WAYBILL_DRAIN_SECONDS: defineOptional({
    meaning:
      'after SIGTERM or SIGINT, how long `/ready` fails while requests are still accepted, 0 to 3600; see [stop and restart](upgrade.md#stop-and-restart)',
    unset: '0; 5 in Kubernetes, recognised by `KUBERNETES_SERVICE_HOST`',
    example: '15',
    parse: readNumberBetween(0, 3600),
  }),
  WAYBILL_LOG_LEVEL: defineSetting({
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`; JSON lines on standard error',
    default: 'info',
    example: 'debug',
    parse: readOneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  }),
  WAYBILL_REGION: defineOptional({
    meaning: 'name of the regional deployment, shown in the web app and in `GET /api/v2/meta`',
    unset: 'unset',
    example: 'eu',
    parse: readText,
  }),
  WAYBILL_SECURITY_CONTACT: defineSetting({
    meaning:
      'contacts for vulnerability reports in `/.well-known/security.txt`: mail addresses and `https://` URLs, separated by commas. Without one, the file names only the security policy of this version',
    default: '',
    example: 'security@acme.example',
    parse: readSecurityContacts,
  }),
} satisfies Settings

export interface ProcessConfig {
  production: boolean
  role: 'all' | 'serve' | 'work'
  data_dir: string
  secret_key: string | undefined
  /** Time between a signal and the end of the listener. */
  drain_ms: number
  log_level: string
  region: string | undefined
  security_contacts: string[]
}

export function readProcessConfig(environment: Environment): ProcessConfig {
  const read = makeReader(PROCESS_SETTINGS, environment)
  return {
    production: read('NODE_ENV') === 'production',
    role: read('WAYBILL_ROLE'),
    data_dir: read('WAYBILL_DATA_DIR'),
    secret_key: read('WAYBILL_SECRET_KEY'),
    drain_ms: MS_PER_SECOND * (read('WAYBILL_DRAIN_SECONDS') ?? chooseDrainSeconds(environment)),
    log_level: read('WAYBILL_LOG_LEVEL'),
    region: read('WAYBILL_REGION'),
    security_contacts: read('WAYBILL_SECURITY_CONTACT'),
  }
}

/** An orchestrator stops sending requests only after it has seen /ready fail; in a terminal nobody checks. */
function chooseDrainSeconds({ KUBERNETES_SERVICE_HOST }: Environment): number {
  return KUBERNETES_SERVICE_HOST ? ORCHESTRATED_DRAIN_SECONDS : 0
}

function readSecretKey(value: string, name: string): string {
  if (value.length >= 32) return value
  throw new SettingProblem(`${name} must have 32 characters or more`)
}

/** As in RFC 9116: a bare mail address becomes `mailto:`. */
function readSecurityContacts(value: string, name: string): string[] {
  const contacts = readCommaList(value).map(entry =>
    /^[^\s:]+@[^\s:]+$/.test(entry) ? `mailto:${entry}` : entry,
  )
  if (contacts.every(entry => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(entry) && parseUrl(entry)))
    return contacts
  throw new SettingProblem(`${name} must be mail addresses or https addresses, separated by commas`)
}
