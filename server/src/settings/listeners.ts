// The listener settings: where the service listens, how clients and proxies reach it, and who may read its metrics.
import { type IpRange, parseIpRange } from '@waybill/egress'
import { parseUrl } from '../lib/url.ts'
import { readCommaList, readNumberBetween, readText } from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

export const LISTENER_SETTINGS = {
  PORT: defineSetting({
    meaning: 'port to listen on, 0 to 65535; 0 picks a free one',
    default: '8001',
    example: '8080',
    parse: readNumberBetween(0, 65_535),
  }),
  HOST: defineSetting({
    meaning: 'address to listen on; `0.0.0.0` means every IPv4 address',
    default: '127.0.0.1',
    example: '0.0.0.0',
    parse: readText,
  }),
  WAYBILL_BASE_URL: defineOptional({
    meaning:
      'public URL, `http` or `https`; links in responses, mails and the OpenAPI document are built from it. With a path, the service is [below that path](install.md#address-tls-and-proxies)',
    unset: 'from host and port',
    example: 'https://waybill.example',
    parse: readPublicUrl,
  }),
  WAYBILL_TRUSTED_PROXIES: defineSetting({
    meaning:
      'addresses or CIDRs of the [proxies](install.md#address-tls-and-proxies) whose `X-Forwarded-For` and `Forwarded` are trusted, separated by commas',
    default: '',
    example: '127.0.0.1,10.0.0.0/8',
    parse: readTrustedProxies,
  }),
  WAYBILL_TLS_CERT_FILE: defineOptional({
    meaning:
      'certificate with its chain in PEM; the service then speaks [TLS itself](install.md#address-tls-and-proxies), and reads the file again when it changes',
    unset: 'plain HTTP, for a proxy in front',
    example: '/etc/waybill/tls.crt',
    parse: readText,
  }),
  WAYBILL_TLS_KEY_FILE: defineOptional({
    meaning: 'private key of the certificate in PEM',
    unset: 'unset',
    example: '/etc/waybill/tls.key',
    parse: readText,
  }),
  WAYBILL_METRICS_PORT: defineOptional({
    meaning:
      'port for `/healthz`, `/ready` and `/metrics` only, also of a process with `WAYBILL_ROLE=work`; its metrics are not limited to the loopback address; 0 picks a free one',
    unset: 'none',
    example: '9464',
    parse: readNumberBetween(0, 65_535),
  }),
  WAYBILL_METRICS_TOKEN: defineOptional({
    meaning: 'bearer token that `/metrics` requires on every port; 16 or more characters',
    unset: 'none, and only this machine may read `/metrics` on the main port',
    example: 'a-token-for-the-scraper',
    is_secret: true,
    parse: readMetricsToken,
  }),
} satisfies Settings

interface TlsFiles {
  cert_file: string
  key_file: string
}

export interface ListenerConfig {
  port: number
  host: string
  base_url: string | undefined
  trusted_proxies: IpRange[]
  /** Undefined: plain HTTP. */
  tls: TlsFiles | undefined
  /** For health and metrics only. */
  metrics_port: number | undefined
  metrics_token: string | undefined
}

export function readListenerConfig(environment: Environment): ListenerConfig {
  const read = makeReader(LISTENER_SETTINGS, environment)
  return {
    port: read('PORT'),
    host: read('HOST'),
    base_url: read('WAYBILL_BASE_URL'),
    trusted_proxies: read('WAYBILL_TRUSTED_PROXIES'),
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

function readPublicUrl(value: string, name: string): string {
  if (parseUrl(value) && /^https?:\/\//.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(`${name} must be an http or https address`)
}

/** Rejects a range of all addresses: otherwise anyone could forge their own. */
function readTrustedProxies(value: string, name: string): IpRange[] {
  const ranges = readCommaList(value).map(parseIpRange)
  const trusted = ranges.filter(range => range !== undefined && range.prefix_bits > 0)
  if (trusted.length === ranges.length) return trusted as IpRange[]
  throw new SettingProblem(`${name} must be addresses or ranges such as 10.0.0.0/8, separated by commas`)
}

/** Only characters that a header can contain. */
function readMetricsToken(value: string, name: string): string {
  if (/^[!-~]{16,1024}$/.test(value)) return value
  throw new SettingProblem(`${name} must have 16 to 1024 visible ASCII characters without spaces`)
}
