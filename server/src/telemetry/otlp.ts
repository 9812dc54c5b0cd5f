// Writes spans and log lines in OpenTelemetry's JSON format for HTTP.
import { SEVERITY, toOtlpAttribute, toUnixNano } from '../lib/otlp.ts'
import type { SpanAttributes, SpanStart } from '../lib/tracing.ts'
import type { EndedSpan } from './tracer.ts'

export interface Source {
  resource: Readonly<Record<string, string>>
  version: string
}

export interface LogLine {
  unix_ms: number
  severity: keyof typeof SEVERITY
  /** One line of JSON, as on stderr. */
  line: string
  /** The ids of the span in which the line was written. */
  ids: { trace_id: string; span_id: string } | undefined
}

const SCOPE = 'waybill'
const KINDS: Record<SpanStart['kind'], number> = { internal: 1, server: 2, client: 3 }
const STATUS_ERROR = 2

export function buildTraces(spans: readonly EndedSpan[], { resource, version }: Source): string {
  const scopeSpans = [{ scope: { name: SCOPE, version }, spans: spans.map(toOtlpSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: toResource(resource), scopeSpans }] })
}

export function buildLogs(lines: readonly LogLine[], { resource, version }: Source): string {
  const scopeLogs = [{ scope: { name: SCOPE, version }, logRecords: lines.map(toLogRecord) }]
  return JSON.stringify({ resourceLogs: [{ resource: toResource(resource), scopeLogs }] })
}

const toResource = (resource: Source['resource']) => ({ attributes: toAttributes(resource) })

function toOtlpSpan(span: EndedSpan): Record<string, unknown> {
  const { trace_id: traceId, span_id: spanId, parent_span_id, failure, links } = span
  const type = failure === undefined ? {} : { 'error.type': failure }
  return {
    traceId,
    spanId,
    ...(parent_span_id === undefined ? {} : { parentSpanId: parent_span_id }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: toUnixNano(span.start_unix_ms),
    endTimeUnixNano: toUnixNano(span.end_unix_ms),
    attributes: toAttributes({ ...span.attributes, ...type }),
    links: links.map(link => ({ traceId: link.trace_id, spanId: link.span_id })),
    status: failure === undefined ? {} : { code: STATUS_ERROR },
  }
}

function toLogRecord({ unix_ms, severity, line, ids }: LogLine): Record<string, unknown> {
  const time = toUnixNano(unix_ms)
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    ...SEVERITY[severity],
    body: { stringValue: line },
    ...(ids ? { traceId: ids.trace_id, spanId: ids.span_id } : {}),
  }
}

function toAttributes(attributes: SpanAttributes): ReturnType<typeof toOtlpAttribute>[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : toOtlpAttribute(key, value),
  )
}
