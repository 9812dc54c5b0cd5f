// The settings of the listeners: where the service listens, who may read its metrics, and the TLS of its own.
import {
  defineSecret,
  defineSetting,
  readMetricsToken,
  readNumberBetween,
  readOptionalText,
  readTextOr,
  type Setting,
  SettingProblem,
} from './readers.ts'

export const LISTENER_SETTINGS = {
  PORT: defineSetting('port to listen on', '8001', readNumberBetween(0, 65_535, 8001)),
  HOST: defineSetting('address to listen on', '127.0.0.1', readTextOr('127.0.0.1')),
  WAYBILL_TLS_CERT_FILE: defineSetting(
    'certificate with its chain in PEM; the service then speaks TLS itself, and reads the file again when it changes',
    'unset: plain HTTP, for a proxy in front',
    readOptionalText,
  ),
  WAYBILL_TLS_KEY_FILE: defineSetting('private key of the certificate in PEM', 'unset', readOptionalText),
  WAYBILL_METRICS_PORT: defineSetting(
    'port for /healthz, /ready and /metrics only, also of a process that only works; 0 picks a free one',
    'unset: none',
    (value, name) => (value === undefined ? undefined : readNumberBetween(0, 65_535, 0)(value, name)),
  ),
  WAYBILL_METRICS_TOKEN: defineSecret(
    'bearer token that /metrics requires on every port; 16 or more characters',
    'unset: none, and only this machine may read /metrics on the main port',
    readMetricsToken,
  ),
} satisfies Record<string, Setting<unknown>>

interface TlsFiles {
  cert_file: string
  key_file: string
}

export interface ListenerConfig {
  port: number
  host: string
  /** Undefined: plain HTTP. */
  tls: TlsFiles | undefined
  /** For health and metrics only. */
  metrics_port: number | undefined
  metrics_token: string | undefined
}

type Settings = typeof LISTENER_SETTINGS
type Read = <N extends keyof Settings>(name: N) => ReturnType<Settings[N]['read']>

export function readListenerConfig(read: Read): ListenerConfig {
  return {
    port: read('PORT'),
    host: read('HOST'),
    tls: readTls(read('WAYBILL_TLS_CERT_FILE'), read('WAYBILL_TLS_KEY_FILE')),
    metrics_port: read('WAYBILL_METRICS_PORT'),
    metrics_token: read('WAYBILL_METRICS_TOKEN'),
  }
}

function readTls(cert_file: string | undefined, key_file: string | undefined): TlsFiles | undefined {
  if (cert_file === undefined && key_file === undefined) return undefined
  if (cert_file !== undefined && key_file !== undefined) return { cert_file, key_file }
  throw new SettingProblem('WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE need each other')
}
