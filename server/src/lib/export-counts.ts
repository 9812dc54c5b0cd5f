// The fate of spans and log lines for an OpenTelemetry collector, for /metrics.

export type Signal = 'traces' | 'logs'

/** All but the exported ones were dropped. */
export type ExportCounts = Record<'exported' | 'queue_full' | 'refused' | 'stopped', number>

export function makeExportCounts(): Record<Signal, ExportCounts> {
  return { traces: makeCounts(), logs: makeCounts() }
}

function makeCounts(): ExportCounts {
  return { exported: 0, queue_full: 0, refused: 0, stopped: 0 }
}
