// The OpenTelemetry of a process: its tracer, the export of its log lines, and its observer of statements. Loaded
// only if the operator has set an endpoint.
import type { Egress } from '@waybill/egress'
import { post } from '../audit-sinks/http-request.ts'
import type { StatementObserver } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { type ExportCounts, makeExportCounts, type Signal } from '../lib/export-counts.ts'
import type { LogCopy } from '../lib/log.ts'
import { countRejected } from '../lib/otlp.ts'
import type { Random } from '../lib/random.ts'
import type { Tracer } from '../lib/tracing.ts'
import type { TelemetrySettings } from '../settings/telemetry.ts'
import { buildLogs, buildTraces, type LogLine } from './otlp.ts'
import { type CollectorReply, makeQueue, QUEUE_LIMITS, type Queue } from './queue.ts'
import { watchStatements } from './statements.ts'
import { type EndedSpan, makeTracer } from './tracer.ts'

/** The limit for one line; only a line that quotes a request is longer. */
const MAX_LINE_CHARACTERS = 16_384
const IDS = /"trace_id":"([0-9a-f]{32})","span_id":"([0-9a-f]{16})"/
/** The flush's share of the time that a service has to stop. */
const FLUSH_WITHIN_MS = 3_000

export interface TelemetryParts {
  settings: TelemetrySettings
  version: string
  /** Identifies this process. */
  instance_id: string
  egress: Pick<Egress, 'fetch'>
  clock: Clock
  random: Random
  randomHex(bytes: number): string
}

export interface Telemetry {
  tracer: Tracer
  observer: StatementObserver | undefined
  log_copy: LogCopy
  counts: Record<Signal, ExportCounts>
  /** Called with the reason when a collector that accepted everything rejects something. */
  setOnRefused(onRefused: (signal: Signal, reason: string) => void): void
  /** Sends the queued items, for a few seconds at most. */
  stop(): Promise<void>
}

export function startTelemetry(parts: TelemetryParts): Telemetry {
  const { settings, version, instance_id, clock } = parts
  const counts = makeExportCounts()
  let onRefused: (signal: Signal, reason: string) => void = () => undefined
  const resource = {
    'service.version': version,
    'service.instance.id': instance_id,
    ...settings.resource,
  }
  const source = { resource, version }
  const makeSignalQueue = <Item>(signal: Signal, build: (items: readonly Item[]) => string): Queue<Item> =>
    makeQueue<Item>({
      limits: QUEUE_LIMITS,
      counts: counts[signal],
      send: items => sendToCollector(parts, signal, build(items)),
      onRefused: reason => onRefused(signal, reason),
    })
  const spans = makeSignalQueue<EndedSpan>('traces', items => buildTraces(items, source))
  const lines = makeSignalQueue<LogLine>('logs', items => buildLogs(items, source))
  const tracer = makeTracer({
    ...parts,
    // Log lines get their ids in any case.
    sampler: settings.has_traces ? settings.sampler : { ratio: 0, asks_caller: false },
    onEnded: spans.add,
  })
  return {
    tracer,
    observer: settings.has_traces ? watchStatements(tracer) : undefined,
    log_copy: {
      getIds: () => {
        const span = tracer.getCurrent()
        return span && { trace_id: span.trace_id, span_id: span.span_id }
      },
      add: (severity, line) => {
        if (!settings.has_logs) return
        const start = line.trimEnd().slice(0, MAX_LINE_CHARACTERS)
        lines.add({ unix_ms: clock.now().getTime(), severity, line: start, ids: readIds(line) })
      },
    },
    counts,
    setOnRefused: callback => {
      onRefused = callback
    },
    stop: async () => {
      const within = AbortSignal.timeout(FLUSH_WITHIN_MS)
      await Promise.all([spans.stop(within), lines.stop(within)])
    },
  }
}

async function sendToCollector(
  { settings, egress }: TelemetryParts,
  signal: Signal,
  body: string,
): Promise<CollectorReply> {
  const { url, headers, limit_ms } = settings
  const message = {
    url: `${url}/v1/${signal}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  }
  let rejected = 0
  const reply = await post({ egress, limit_ms }, message, text => {
    rejected = countRejected(text)
    return rejected > 0 ? `The receiver has rejected ${rejected} of a batch` : undefined
  })
  return { ...reply, rejected }
}

/**
 * Not from the current span, because the line of a request is written after its end. Quotes inside a value are
 * escaped.
 */
function readIds(line: string): LogLine['ids'] {
  const [, trace_id, span_id] = IDS.exec(line) ?? []
  return trace_id === undefined || span_id === undefined ? undefined : { trace_id, span_id }
}
