// Reads the audit sinks from the settings: a JSON list. Error messages never show the given values, because they contain
// secrets.
import { parseSecret } from '../domain/notification/signature.ts'
import { isWebAddress, parseUrl } from '../lib/url.ts'
import { findRepeated, HEADER_NAME, HEADER_VALUE, isObject, readJsonList } from './readers.ts'
import { defineSetting, SettingProblem, type Settings } from './setting.ts'

const SINK_FORMATS = ['native', 'ocsf'] as const
type SinkFormat = (typeof SINK_FORMATS)[number]

export const AUDIT_SINK_SETTINGS = {
  WAYBILL_AUDIT_SINKS: defineSetting({
    meaning: 'where audit events are sent as they happen, as a JSON list; see [audit sinks](audit-sinks.md)',
    default: '[]',
    example: '[{"name": "siem", "kind": "syslog", "url": "tls://siem.example:6514", "format": "ocsf"}]',
    is_secret: true,
    parse: readAuditSinks,
  }),
} satisfies Settings

interface Named {
  /** Names the cursor: under a new name, a sink starts with the first event. */
  name: string
  format: SinkFormat
}

export interface WebhookSink extends Named {
  kind: 'webhook'
  url: string
  /** If given, signs each request. */
  secret: string | undefined
}

export interface OtlpSink extends Named {
  kind: 'otlp'
  /** The base of the receiver; `/v1/logs` is added. */
  url: string
  headers: Record<string, string>
}

export interface SyslogSink extends Named {
  kind: 'syslog'
  host: string
  port: number
}

export interface S3Sink extends Named {
  kind: 's3'
  /** Like WAYBILL_EVIDENCE_URL: s3://bucket/prefix?endpoint=…&region=… */
  url: string
  access_key_id: string | undefined
  secret_access_key: string | undefined
}

export type AuditSink = WebhookSink | OtlpSink | SyslogSink | S3Sink

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
/** RFC 5425 */
const SYSLOG_PORT = 6514

function readAuditSinks(value: string, setting_name: string): AuditSink[] {
  const sinks = readJsonList(readSink)(value, setting_name)
  const twice = findRepeated(sinks.map(({ name }) => name))
  if (twice !== undefined) throw new SettingProblem(`${setting_name}: two sinks have the name ${twice}`)
  return sinks
}

type Entry = Record<string, unknown>
type Read = (named: Named, url: string, entry: Entry) => AuditSink | string

/** The fields of each kind besides name, kind, url and format, and how to read them. */
const KINDS: Record<AuditSink['kind'], { fields: readonly string[]; read: Read }> = {
  webhook: { fields: ['secret'], read: readWebhook },
  otlp: { fields: ['headers'], read: readOtlp },
  syslog: { fields: [], read: readSyslog },
  s3: { fields: ['access_key_id', 'secret_access_key'], read: readS3 },
}

/** The sink, or the problem with the entry. */
function readSink({ name, kind, url, format = 'native', ...entry }: Entry): AuditSink | string {
  if (typeof name !== 'string' || !NAME.test(name)) return 'needs a name of small letters, digits and hyphens'
  const found =
    typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? (kind as AuditSink['kind']) : undefined
  if (found === undefined) return `needs a kind: ${Object.keys(KINDS).join(', ')}`
  const { fields, read } = KINDS[found]
  const stray = Object.keys(entry).find(field => !fields.includes(field))
  if (stray !== undefined) return `has the unknown field ${stray}`
  const chosen = SINK_FORMATS.find(known => known === format)
  if (chosen === undefined) return `needs one of these formats: ${SINK_FORMATS.join(', ')}`
  return typeof url === 'string' ? read({ name, format: chosen }, url, entry) : 'needs the text url'
}

function readWebhook(named: Named, url: string, { secret }: Entry): AuditSink | string {
  if (!isWebAddress(url)) return 'needs a url that begins with https:// or http://'
  if (secret !== undefined && (typeof secret !== 'string' || !parseSecret(secret)))
    return 'needs a secret of the form whsec_ and 24 to 64 bytes in base64'
  return { ...named, kind: 'webhook', url, secret }
}

function readOtlp(named: Named, url: string, { headers = {} }: Entry): AuditSink | string {
  if (!isWebAddress(url) || /[?#]/.test(url))
    return 'needs a url that begins with https:// or http://, without a query'
  if (!isObject(headers)) return 'needs headers as an object of texts'
  const wrong = Object.entries(headers).find(
    ([name, value]) => !HEADER_NAME.test(name) || typeof value !== 'string' || !HEADER_VALUE.test(value),
  )
  if (wrong) return `has a header that cannot be sent: ${JSON.stringify(wrong[0])}`
  return { ...named, kind: 'otlp', url: url.replace(/\/+$/, ''), headers: headers as Record<string, string> }
}

function readSyslog(named: Named, url: string): AuditSink | string {
  const { protocol, hostname, port, pathname, search, hash, username } = parseUrl(url) ?? new URL('x:')
  const isPlain = protocol === 'tls:' && hostname !== '' && /^\/?$/.test(pathname)
  if (!isPlain || search + hash + username !== '') return 'needs a url such as tls://siem.example:6514'
  return { ...named, kind: 'syslog', host: hostname, port: port === '' ? SYSLOG_PORT : Number(port) }
}

function readS3(named: Named, url: string, { access_key_id, secret_access_key }: Entry): AuditSink | string {
  const parsed = parseUrl(url)
  if (parsed?.protocol !== 's3:' || parsed.hostname === '')
    return 'needs a url such as s3://bucket/prefix?region=eu-west-1'
  const isText = (value: unknown) => value === undefined || (typeof value === 'string' && value !== '')
  if (!isText(access_key_id)) return 'needs access_key_id as a text'
  if (!isText(secret_access_key)) return 'needs secret_access_key as a text'
  const credentials = { access_key_id, secret_access_key } as Pick<
    S3Sink,
    'access_key_id' | 'secret_access_key'
  >
  return { ...named, kind: 's3', url, ...credentials }
}
