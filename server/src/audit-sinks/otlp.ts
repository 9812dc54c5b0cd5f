// Posts a batch as OpenTelemetry logs (OTLP over HTTP, JSON): one log record for each event.
import type { OtlpSink } from '../audit-sink-settings.ts'
import type { Batch, Refusal, Sender, SinkRecord } from './batch.ts'
import { type HttpParts, postToSink } from './http-request.ts'
import { WARNING_KINDS } from './sink-event.ts'

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const INFO = { severityNumber: 9, severityText: 'INFO' }
const WARN = { severityNumber: 13, severityText: 'WARN' }

/** 64-bit numbers are texts in this JSON, and some collectors write them as numbers. */
const REJECTED = /"rejectedLogRecords"\s*:\s*"?(\d+)/

export function makeOtlpSender({ url, headers }: OtlpSink, parts: HttpParts & { version: string }): Sender {
  return {
    send: batch =>
      postToSink(
        parts,
        {
          url: `${url}/v1/logs`,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(buildLogs(batch, parts.version)),
        },
        judgeAnswer,
      ),
  }
}

function buildLogs({ records, org }: Batch, version: string): Record<string, unknown> {
  const resource = {
    attributes: [
      toAttribute('service.name', 'waybill'),
      toAttribute('service.version', version),
      toAttribute('waybill.org', org),
    ],
  }
  const scopeLogs = [{ scope: { name: 'waybill.audit', version }, logRecords: records.map(toLogRecord) }]
  return { resourceLogs: [{ resource, scopeLogs }] }
}

function toLogRecord({ event, line }: SinkRecord): Record<string, unknown> {
  const time = `${Math.round(event.timestamp * 1000)}000000`
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    ...(WARNING_KINDS.has(event.kind) ? WARN : INFO),
    eventName: event.kind,
    body: { stringValue: line },
    attributes: [
      toAttribute('event.name', event.kind),
      toAttribute('waybill.event.id', event.id),
      toAttribute('waybill.org', event.org),
      toAttribute('waybill.actor', event.actor),
      toAttribute('waybill.sentence', event.sentence),
      { key: 'waybill.log.epoch', value: { intValue: String(event.log.epoch) } },
      { key: 'waybill.log.number', value: { intValue: String(event.log.number) } },
    ],
  }
}

const toAttribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** A collector can say yes and still reject some records. Then the whole batch is repeated, and nothing is lost. */
function judgeAnswer(text: string): Refusal {
  // JSON, unless the collector ignores what it was asked for: then there is nothing to read.
  const rejected = Number(REJECTED.exec(text)?.[1] ?? 0)
  return rejected > 0 ? `The receiver has rejected ${rejected} of the events` : undefined
}
