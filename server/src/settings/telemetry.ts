// The settings of OpenTelemetry, with the names and meanings of its specification. Without an endpoint, the others are not
// even read: many machines have some of them for other programs. Error messages never show the headers.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
import { isWebAddress } from '../lib/url.ts'
import {
  defineSecret,
  defineSetting,
  readNumberBetween,
  readOneOf,
  readOptionalText,
  type Setting,
  SettingProblem,
} from './readers.ts'

const SAMPLERS = {
  parentbased_always_on: { asks_caller: true, ratio: 1 },
  parentbased_always_off: { asks_caller: true, ratio: 0 },
  parentbased_traceidratio: { asks_caller: true, ratio: undefined },
  always_on: { asks_caller: false, ratio: 1 },
  always_off: { asks_caller: false, ratio: 0 },
  traceidratio: { asks_caller: false, ratio: undefined },
} as const

type SamplerName = keyof typeof SAMPLERS

export const TELEMETRY_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    'base URL of an OpenTelemetry collector, such as http://otel.example:4318; traces and logs are sent to it, see [traces and logs](#traces-and-logs)',
    'unset: nothing is sent',
    readEndpoint,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: defineSecret(
    'headers for the collector, such as authorization=Bearer%20…',
    'none',
    readHeaders,
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: defineSetting(
    'milliseconds that the collector may take for one request',
    '10000',
    readNumberBetween(1, 600_000, 10_000),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: defineSetting(
    'only http/json, which every collector accepts at its HTTP port',
    'http/json',
    readOneOf('http/json'),
  ),
  OTEL_SERVICE_NAME: defineSetting('name of this service in traces and logs', 'waybill', readOptionalText),
  OTEL_RESOURCE_ATTRIBUTES: defineSetting(
    'more about this process, such as deployment.environment.name=prod,service.namespace=ci',
    'none',
    readAttributes,
  ),
  OTEL_TRACES_SAMPLER: defineSetting(
    'which requests and deliveries are traced: always_on, always_off or traceidratio, or parentbased_ and one of them to leave out what a caller does not trace',
    'parentbased_always_on',
    readOneOf(...(Object.keys(SAMPLERS) as [SamplerName, ...SamplerName[]])),
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting('the part that a ratio keeps, from 0 to 1', '1', readRatio),
  OTEL_TRACES_EXPORTER: defineSetting('none: no traces are sent', 'otlp', readOneOf('otlp', 'none')),
  OTEL_LOGS_EXPORTER: defineSetting(
    'none: no log lines are sent; they are on stderr in any case',
    'otlp',
    readOneOf('otlp', 'none'),
  ),
  OTEL_SDK_DISABLED: defineSetting(
    'true: nothing is sent, whatever the others say',
    'false',
    readOneOf('false', 'true'),
  ),
} satisfies Record<string, Setting<unknown>>

export interface Sampler {
  ratio: number
  /** Whether a caller that traces, but not this request, has it left out. */
  asks_caller: boolean
}

export interface TelemetrySettings {
  /** The base; /v1/traces and /v1/logs are added. */
  url: string
  headers: Readonly<Record<string, string>>
  /** For one request. */
  limit_ms: number
  resource: Readonly<Record<string, string>>
  sampler: Sampler
  has_traces: boolean
  has_logs: boolean
}

export interface TelemetryConfig {
  /** Undefined: none. */
  telemetry: TelemetrySettings | undefined
}

type Settings = typeof TELEMETRY_SETTINGS
type Read = <N extends keyof Settings>(name: N) => ReturnType<Settings[N]['read']>

const SERVICE_NAME = 'waybill'

export function readTelemetryConfig(read: Read): TelemetryConfig {
  const url = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (url === undefined || read('OTEL_SDK_DISABLED') === 'true') return { telemetry: undefined }
  read('OTEL_EXPORTER_OTLP_PROTOCOL')
  const has_traces = read('OTEL_TRACES_EXPORTER') === 'otlp'
  const has_logs = read('OTEL_LOGS_EXPORTER') === 'otlp'
  const attributes = read('OTEL_RESOURCE_ATTRIBUTES')
  const name = read('OTEL_SERVICE_NAME')
  const { asks_caller, ratio = read('OTEL_TRACES_SAMPLER_ARG') } = SAMPLERS[read('OTEL_TRACES_SAMPLER')]
  const telemetry: TelemetrySettings = {
    url,
    headers: read('OTEL_EXPORTER_OTLP_HEADERS'),
    limit_ms: read('OTEL_EXPORTER_OTLP_TIMEOUT'),
    resource: {
      'service.name': SERVICE_NAME,
      ...attributes,
      ...(name === undefined ? {} : { 'service.name': name }),
    },
    sampler: { asks_caller, ratio },
    has_traces,
    has_logs,
  }
  return { telemetry: has_traces || has_logs ? telemetry : undefined }
}

function readEndpoint(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  if (isWebAddress(value) && !/[?#]/.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(
    `${name} must begin with https:// or http://, and have neither a query nor a password`,
  )
}

function readRatio(value: string | undefined, name: string): number {
  const ratio = value === undefined ? 1 : /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new SettingProblem(`${name} must be a number from 0 to 1`)
}

const HEADER_NAME = /^[A-Za-z0-9-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/

function readHeaders(value: string | undefined, name: string): Record<string, string> {
  const headers = readPairs(value)
  const isSendable = headers?.every(([key, text]) => HEADER_NAME.test(key) && HEADER_VALUE.test(text))
  if (headers && isSendable)
    return Object.fromEntries(headers.map(([key, text]) => [key.toLowerCase(), text]))
  throw new SettingProblem(`${name} must be headers such as x-tenant=acme,authorization=Bearer%20…`)
}

function readAttributes(value: string | undefined, name: string): Record<string, string> {
  const attributes = readPairs(value)
  if (attributes) return Object.fromEntries(attributes)
  throw new SettingProblem(`${name} must be attributes such as service.namespace=ci,host.name=a`)
}

/** `a=1,b=2` with percent-encoded values; undefined if it is not that. */
function readPairs(value: string | undefined): [key: string, text: string][] | undefined {
  const entries = (value ?? '').split(',').flatMap(entry => entry.trim() || [])
  const pairs = entries.map(entry => {
    const [, key = '', encoded = ''] = /^([^=\s]+)\s*=\s*(.*)$/.exec(entry) ?? []
    return [key, decode(encoded)] as const
  })
  const isValid = pairs.every((pair): pair is [string, string] => pair[0] !== '' && pair[1] !== undefined)
  return isValid ? (pairs as [string, string][]) : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded: the caller says which setting it is.
    return undefined
  }
}
