// The OpenTelemetry settings: their meanings, and which values stop the start.
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const read = (settings: Record<string, string>) => readConfig({ ...ENDPOINT, ...settings }).telemetry

describe('with an endpoint alone', () => {
  it('everything is traced, unless the caller says no, and the log is sent', () => {
    expect(read({})).toEqual({
      url: 'http://127.0.0.1:4318',
      headers: {},
      limit_ms: 10_000,
      resource: { 'service.name': 'waybill' },
      sampler: { ratio: 1, asks_caller: true },
      has_traces: true,
      has_logs: true,
    })
  })
})

describe('nothing is sent', () => {
  it.each([
    [{ OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ])('with %j', settings => {
    expect(read(settings)).toBeUndefined()
  })

  it('without an endpoint, whatever the machine has for other programs', () => {
    const others = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'jaeger_remote' }
    expect(readConfig(others).telemetry).toBeUndefined()
  })
})

describe('samplers', () => {
  it.each([
    ['always_on', undefined, { ratio: 1, asks_caller: false }],
    ['always_off', undefined, { ratio: 0, asks_caller: false }],
    ['traceidratio', '0.5', { ratio: 0.5, asks_caller: false }],
    ['traceidratio', undefined, { ratio: 1, asks_caller: false }],
    ['parentbased_always_on', '0.5', { ratio: 1, asks_caller: true }],
    ['parentbased_always_off', undefined, { ratio: 0, asks_caller: true }],
    ['parentbased_traceidratio', '.1', { ratio: 0.1, asks_caller: true }],
  ])('%s with %s', (OTEL_TRACES_SAMPLER, argument, sampler) => {
    const settings = argument === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: argument }
    expect(read({ OTEL_TRACES_SAMPLER, ...settings })?.sampler).toEqual(sampler)
  })
})

describe('attributes', () => {
  it('can name the service, and the setting for the name wins', () => {
    const OTEL_RESOURCE_ATTRIBUTES = 'service.name=a, host.name = b%3Dc ,'
    expect(read({ OTEL_RESOURCE_ATTRIBUTES })?.resource).toEqual({ 'service.name': 'a', 'host.name': 'b=c' })
    expect(read({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: 'd' })?.resource).toEqual({
      'service.name': 'd',
      'host.name': 'b=c',
    })
  })
})

describe('refused', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel.example:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://otel.example:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:planted@otel.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel.example/?planted=1'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '1.5'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'planted'],
    ['OTEL_EXPORTER_OTLP_HEADERS', '=planted'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'bad name=planted'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=planted%0D%0Ax-more: 1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=planted%'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'planted'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%E0%A4%A'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_LOGS_EXPORTER', 'console'],
    ['OTEL_SDK_DISABLED', 'yes'],
  ])('%s of %j, in one line that does not show it', (name, value) => {
    const refuse = () => read({ [name]: value })
    expect(refuse).toThrow(new RegExp(`^${name} must [^\n]+$`))
    expect(refuse).not.toThrow(/planted/)
  })

  it.each(['1.1', '-0.1', 'all', '1e-1'])('a ratio of %s', OTEL_TRACES_SAMPLER_ARG => {
    const settings = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG }
    expect(() => read(settings)).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  })
})
