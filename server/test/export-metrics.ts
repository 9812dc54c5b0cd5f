// The metrics of a process that sends traces and logs to a collector; the test applications send none.
import { Registry } from 'prom-client'
import { countExports } from '../src/http/metrics.ts'
import { makeExportCounts } from '../src/lib/export-counts.ts'

export function readExportMetrics(): Promise<string> {
  const registry = new Registry()
  countExports(makeExportCounts(), [registry])
  return registry.metrics()
}
