// Posts a batch as OpenTelemetry logs (OTLP over HTTP, JSON): one log record for each event.

import { countRejected, SEVERITY, toOtlpAttribute, toUnixNano } from '../lib/otlp.ts'
import type { OtlpSink } from '../settings/audit-sinks.ts'
import type { Batch, Refusal, Sender, SinkRecord } from './batch.ts'
import { type HttpParts, postToSink } from './http-request.ts'
import { WARNING_KINDS } from './sink-event.ts'

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
        readRejection,
      ),
  }
}

function buildLogs({ records, org }: Batch, version: string): Record<string, unknown> {
  const resource = {
    attributes: [
      toOtlpAttribute('service.name', 'waybill'),
      toOtlpAttribute('service.version', version),
      toOtlpAttribute('waybill.org', org),
    ],
  }
  const scopeLogs = [{ scope: { name: 'waybill.audit', version }, logRecords: records.map(toLogRecord) }]
  return { resourceLogs: [{ resource, scopeLogs }] }
}

function toLogRecord({ event, line }: SinkRecord): Record<string, unknown> {
  const time = toUnixNano(Math.round(event.timestamp * 1000))
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    ...(WARNING_KINDS.has(event.kind) ? SEVERITY.warn : SEVERITY.info),
    eventName: event.kind,
    body: { stringValue: line },
    attributes: [
      toOtlpAttribute('event.name', event.kind),
      toOtlpAttribute('waybill.event.id', event.id),
      toOtlpAttribute('waybill.org', event.org),
      toOtlpAttribute('waybill.actor', event.actor),
      toOtlpAttribute('waybill.sentence', event.sentence),
      toOtlpAttribute('waybill.log.epoch', event.log.epoch),
      toOtlpAttribute('waybill.log.number', event.log.number),
    ],
  }
}

/**
 * A collector can return success and still reject some records. The whole batch is then repeated, and nothing is
 * lost.
 */
function readRejection(text: string): Refusal {
  const rejected = countRejected(text)
  return rejected > 0 ? `The receiver has rejected ${rejected} of the events` : undefined
}
