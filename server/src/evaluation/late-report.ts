// Stores a report that is older than the newest one: a record of what was seen, which changes nothing else.
import type { Db } from '../db/database.ts'
import type { ReportView, RunningArtifact } from '../domain/snapshot/reported.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import { assert } from '../lib/assert.ts'
import { type Ids, toWireId } from '../lib/ids.ts'
import { stringifyInChunks } from '../lib/yield-to-event-loop.ts'
import { insertLateReport } from './late-report-store.ts'
import type { LockedEnvironment } from './snapshot-store.ts'

const PORTION = 500

interface LateReport {
  environment: LockedEnvironment
  report: { artifacts: readonly RunningArtifact[]; sha256: string; view: ReportView }
  /** Time of the newest report. */
  newest_at: Date
}

/** Does nothing if the same report is already stored. */
export async function saveLateReport(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment, report, newest_at }: LateReport,
): Promise<void> {
  const { environment_id, name } = environment
  const { observed_at, reporter, missing } = report.view
  assert(observed_at, 'only a report with a time can be late')
  const late_report_id = ids.next()
  const content = await printReport(report)
  const is_new = await insertLateReport(tx, context.org.org_id, {
    late_report_id,
    environment_id,
    observed_at,
    received_at: context.now,
    report_sha256: report.sha256,
    artifact_count: report.artifacts.length,
    reporter,
    missing,
    newest_at,
    reported_by: context.caller.name,
    content,
  })
  if (!is_new) return
  const data = {
    environment_name: name,
    late_report_id: toWireId(late_report_id),
    observed_at: observed_at.getTime() / 1000,
    newest_at: newest_at.getTime() / 1000,
    report_sha256: report.sha256,
    artifact_count: report.artifacts.length,
    ...(reporter ? { reporter } : {}),
    ...(missing ? { is_partial: true, missing } : {}),
  }
  const contents = { report: content }
  await recordEvent(tx, context, ids, { kind: 'environment_late_report', environment_id, data, contents })
}

/** The report's text, as it is stored and as the log covers it. */
async function printReport({ artifacts, view }: LateReport['report']): Promise<string> {
  const rows = artifacts.map(({ fingerprint, name, instance_count, instances }) => ({
    fingerprint,
    name,
    instance_count,
    instances,
  }))
  const { reporter, missing } = view
  return `{"reporter":${JSON.stringify(reporter)},"missing":${JSON.stringify(missing)},"artifacts":${await stringifyInChunks(rows, PORTION)}}`
}
