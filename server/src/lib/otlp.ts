// The parts of OpenTelemetry's JSON (OTLP over HTTP) shared by everything we send to a collector.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

export interface OtlpAttribute {
  key: string
  value: { stringValue: string } | { intValue: string }
}

/** 64-bit numbers are texts in this JSON. */
export function toOtlpAttribute(key: string, value: string | number): OtlpAttribute {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }
}

/** Nanoseconds since 1970, from milliseconds with fractions. */
export function toUnixNano(unix_ms: number): string {
  const whole_ms = Math.floor(unix_ms)
  const rest_ns = Math.floor((unix_ms - whole_ms) * 1_000_000)
  return `${whole_ms}${String(rest_ns).padStart(6, '0')}`
}

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
export const SEVERITY = {
  trace: { severityNumber: 1, severityText: 'TRACE' },
  debug: { severityNumber: 5, severityText: 'DEBUG' },
  info: { severityNumber: 9, severityText: 'INFO' },
  warn: { severityNumber: 13, severityText: 'WARN' },
  error: { severityNumber: 17, severityText: 'ERROR' },
  fatal: { severityNumber: 21, severityText: 'FATAL' },
} as const

/** Some collectors send the count as a number. */
const REJECTED = /"rejected(?:LogRecords|Spans)"\s*:\s*"?(\d+)/

/**
 * A collector can return success and still reject some items. A response that is not JSON tells nothing about that.
 */
export function countRejected(answer: string): number {
  return Number(REJECTED.exec(answer)?.[1] ?? 0)
}
