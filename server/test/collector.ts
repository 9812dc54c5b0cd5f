// A fake OpenTelemetry collector. It parses OTLP over HTTP in JSON as strictly as the specification allows, and fails
// the request of a service that sends anything else.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addCleanUp } from './service.ts'

export interface ReceivedSpan {
  trace_id: string
  span_id: string
  parent_span_id: string | undefined
  name: string
  kind: number
  attributes: Record<string, string | number>
  links: { trace_id: string; span_id: string }[]
  has_failed: boolean
  duration_ns: bigint
}

interface ReceivedLog {
  trace_id: string | undefined
  span_id: string | undefined
  severity: string
  line: string
}

export interface Collector {
  url: string
  spans: ReceivedSpan[]
  logs: ReceivedLog[]
  resources: Record<string, string | number>[]
  /** Every body as received, even of rejected requests. */
  bodies: string[]
  headers: IncomingHttpHeaders[]
  /** Why a request was not OTLP. */
  problems: string[]
  /** The status of its responses; `never` leaves requests unanswered. */
  answer: number | 'never'
}

export async function startCollector(): Promise<Collector> {
  const collector: Collector = {
    url: '',
    spans: [],
    logs: [],
    resources: [],
    bodies: [],
    headers: [],
    problems: [],
    answer: 200,
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    collector.bodies.push(body)
    collector.headers.push(request.headers)
    if (collector.answer === 200) take(collector, request.url ?? '', body, response)
    else if (collector.answer !== 'never') response.writeHead(collector.answer).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  addCleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return collector
}

function take(collector: Collector, path: string, body: string, response: ServerResponse): void {
  try {
    const message = JSON.parse(body)
    if (path === '/v1/traces') takeTraces(collector, message)
    else if (path === '/v1/logs') takeLogs(collector, message)
    else throw new Error(`nothing is at ${path}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  } catch (error) {
    collector.problems.push(String(error))
    response.writeHead(400).end()
  }
}

type Fields = Record<string, unknown>

function takeTraces(collector: Collector, message: unknown): void {
  for (const entry of readList(message, 'resourceSpans')) {
    const { resource, scopeSpans } = readFields(entry, ['resource', 'scopeSpans'])
    collector.resources.push(readAttributes(readFields(resource, ['attributes']).attributes))
    for (const scoped of scopeSpans as unknown[]) {
      const { scope, spans } = readFields(scoped, ['scope', 'spans'])
      readFields(scope, ['name', 'version'])
      collector.spans.push(...(spans as unknown[]).map(readSpan))
    }
  }
}

const SPAN_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'links',
  'status',
]

function readSpan(value: unknown): ReceivedSpan {
  const span = readFields(value, SPAN_FIELDS)
  const { parentSpanId, links, status } = span
  return {
    trace_id: readMatch(span.traceId, /^[0-9a-f]{32}$/),
    span_id: readMatch(span.spanId, /^[0-9a-f]{16}$/),
    parent_span_id: parentSpanId === undefined ? undefined : readMatch(parentSpanId, /^[0-9a-f]{16}$/),
    name: readMatch(span.name, /./),
    kind: Number(readMatch(String(span.kind), /^[1-5]$/)),
    attributes: readAttributes(span.attributes),
    links: (links as unknown[]).map(link => {
      const { traceId, spanId } = readFields(link, ['traceId', 'spanId'])
      return { trace_id: readMatch(traceId, /^[0-9a-f]{32}$/), span_id: readMatch(spanId, /^[0-9a-f]{16}$/) }
    }),
    has_failed: readFields(status, ['code']).code === 2,
    duration_ns: readNano(span.endTimeUnixNano) - readNano(span.startTimeUnixNano),
  }
}

function takeLogs(collector: Collector, message: unknown): void {
  for (const entry of readList(message, 'resourceLogs')) {
    const { resource, scopeLogs } = readFields(entry, ['resource', 'scopeLogs'])
    collector.resources.push(readAttributes(readFields(resource, ['attributes']).attributes))
    for (const scoped of scopeLogs as unknown[]) {
      const { scope, logRecords } = readFields(scoped, ['scope', 'logRecords'])
      readFields(scope, ['name', 'version'])
      collector.logs.push(...(logRecords as unknown[]).map(readLog))
    }
  }
}

const LOG_FIELDS = [
  'timeUnixNano',
  'observedTimeUnixNano',
  'severityNumber',
  'severityText',
  'body',
  'traceId',
  'spanId',
]

function readLog(value: unknown): ReceivedLog {
  const record = readFields(value, LOG_FIELDS)
  const { traceId, spanId } = record
  readNano(record.timeUnixNano)
  readNano(record.observedTimeUnixNano)
  return {
    trace_id: traceId === undefined ? undefined : readMatch(traceId, /^[0-9a-f]{32}$/),
    span_id: spanId === undefined ? undefined : readMatch(spanId, /^[0-9a-f]{16}$/),
    severity: readMatch(record.severityText, /^(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)$/),
    line: readMatch(readFields(record.body, ['stringValue']).stringValue, /./),
  }
}

function readFields(value: unknown, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object')
  const stray = Object.keys(value).find(name => !known.includes(name))
  if (stray !== undefined) throw new Error(`the field ${stray} is unknown`)
  return value as Fields
}

function readList(value: unknown, name: string): unknown[] {
  const list = readFields(value, [name])[name]
  if (!Array.isArray(list) || list.length === 0) throw new Error(`${name} is empty`)
  return list
}

function readMatch(value: unknown, pattern: RegExp): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`${value} is not ${pattern}`)
  return value
}

/** 64-bit numbers are texts. */
const readNano = (value: unknown) => BigInt(readMatch(value, /^1[0-9]{18}$/))

function readAttributes(value: unknown): Record<string, string | number> {
  const pairs = (value as unknown[]).map(attribute => {
    const { key, value: wrapped } = readFields(attribute, ['key', 'value'])
    const { stringValue, intValue } = readFields(wrapped, ['stringValue', 'intValue'])
    const read = intValue === undefined ? readMatch(stringValue, /^/) : Number(readMatch(intValue, /^-?\d+$/))
    return [readMatch(key, /^[a-z_.]+$/), read] as const
  })
  return Object.fromEntries(pairs)
}
