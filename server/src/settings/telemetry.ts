// The OpenTelemetry settings, with the names and meanings of its specification. Without an endpoint, the others are
// not even read: many machines have some of them for other programs. Error messages never show the headers.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
import { isWebAddress } from '../lib/url.ts'
import {
  HEADER_NAME,
  HEADER_VALUE,
  readCommaList,
  readNumberBetween,
  readOneOf,
  readText,
} from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

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
  OTEL_EXPORTER_OTLP_ENDPOINT: defineOptional({
    meaning: 'base URL of an OpenTelemetry collector, to which [traces and logs](observe.md#traces) are sent',
    unset: 'nothing is sent',
    example: 'http://otel.example:4318',
    parse: readEndpoint,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: defineSetting({
    meaning: 'headers for the collector: pairs separated by commas, values percent-encoded',
    default: '',
    example: 'authorization=Bearer%20the-token',
    is_secret: true,
    parse: readHeaders,
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: defineSetting({
    meaning: 'milliseconds that the collector may take for one request',
    default: '10000',
    example: '2500',
    parse: readNumberBetween(1, 600_000),
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: defineSetting({
    meaning: 'only `http/json`, which every collector accepts at its HTTP port',
    default: 'http/json',
    example: 'http/json',
    parse: readOneOf('http/json'),
  }),
  OTEL_SERVICE_NAME: defineOptional({
    meaning: 'name of this service in traces and logs',
    unset: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, otherwise `waybill`',
    example: 'waybill-eu',
    parse: readText,
  }),
  OTEL_RESOURCE_ATTRIBUTES: defineSetting({
    meaning: 'more about this process: pairs separated by commas, values percent-encoded',
    default: '',
    example: 'deployment.environment.name=prod,service.namespace=ci',
    parse: readAttributes,
  }),
  OTEL_TRACES_SAMPLER: defineSetting({
    meaning:
      'which requests and deliveries are traced: `always_on`, `always_off` or `traceidratio`, or `parentbased_` and one of them to leave out what a caller does not trace',
    default: 'parentbased_always_on',
    example: 'parentbased_traceidratio',
    parse: readOneOf(...(Object.keys(SAMPLERS) as SamplerName[])),
  }),
  OTEL_TRACES_SAMPLER_ARG: defineSetting({
    meaning: 'the part that a ratio keeps, from 0 to 1',
    default: '1',
    example: '0.25',
    parse: readRatio,
  }),
  OTEL_TRACES_EXPORTER: defineSetting({
    meaning: '`none`: no traces are sent',
    default: 'otlp',
    example: 'none',
    parse: readOneOf('otlp', 'none'),
  }),
  OTEL_LOGS_EXPORTER: defineSetting({
    meaning: '`none`: no log lines are sent; they are on standard error in any case',
    default: 'otlp',
    example: 'none',
    parse: readOneOf('otlp', 'none'),
  }),
  OTEL_SDK_DISABLED: defineSetting({
    meaning: '`true`: nothing is sent, whatever the others say',
    default: 'false',
    example: 'true',
    parse: readOneOf('false', 'true'),
  }),
} satisfies Settings

export interface Sampler {
  ratio: number
  /** Whether a request is left out if its caller traces it but does not sample it. */
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

const SERVICE_NAME = 'waybill'

export function readTelemetryConfig(environment: Environment): TelemetryConfig {
  const read = makeReader(TELEMETRY_SETTINGS, environment)
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

function readEndpoint(value: string, name: string): string {
  if (isWebAddress(value) && !/[?#]/.test(value)) return value.replace(/\/+$/, '')
  throw new SettingProblem(
    `${name} must begin with https:// or http://, and have neither a query nor a password`,
  )
}

function readRatio(value: string, name: string): number {
  const ratio = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new SettingProblem(`${name} must be a number from 0 to 1`)
}

function readHeaders(value: string, name: string): Record<string, string> {
  const headers = readPairs(value)
  const isSendable = headers?.every(([key, text]) => HEADER_NAME.test(key) && HEADER_VALUE.test(text))
  if (headers && isSendable)
    return Object.fromEntries(headers.map(([key, text]) => [key.toLowerCase(), text]))
  throw new SettingProblem(`${name} must be headers such as x-tenant=acme,authorization=Bearer%20…`)
}

function readAttributes(value: string, name: string): Record<string, string> {
  const attributes = readPairs(value)
  if (attributes) return Object.fromEntries(attributes)
  throw new SettingProblem(`${name} must be attributes such as service.namespace=ci,host.name=a`)
}

/** Parses `a=1,b=2` with percent-encoded values; undefined for anything else. */
function readPairs(value: string): [key: string, text: string][] | undefined {
  const pairs = readCommaList(value).map(entry => {
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
    // Not percent-encoded: the caller names the setting in its error.
    return undefined
  }
}
