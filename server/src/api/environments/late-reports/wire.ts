// API schemas of late reports.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../../lib/ids.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { EXAMPLE_FINGERPRINT } from '../../shared/examples.ts'
import { Id } from '../../shared/fields.ts'
import { Page, PerPageUpTo } from '../../shared/page.ts'
import { about, Closed, Described, Nullable, Time, toEpoch, toEpochOrNull } from '../../shared/wire.ts'
import { Missing, Reporter } from '../report-view.ts'
import type { LateReportRow } from './store.ts'

const MAX_PER_PAGE = 100

export const LateReportsQuery = Closed('LateReportsQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPageUpTo(MAX_PER_PAGE),
})

const StoredLateReport = Closed('StoredLateReport', {
  id: Id,
  environment_name: Type.String(
    about('Name of the environment; for a logical one, the member that was reported', 'production'),
  ),
  observed_at: Time('Time at which the reporter saw this'),
  received_at: Time('Time at which the service got the report'),
  newest_at: Nullable(
    Time('Time of the newest report when this one arrived; null if an earlier version stored it'),
  ),
  artifact_count: Type.Integer(about('Number of artifacts in the report', 12)),
  missing: Described(Missing, 'What the reporter could not list; empty for a complete report', []),
  reporter: Nullable(Reporter, about('The program that sent the report; null if it does not say', null)),
  reported_by: Nullable(
    Type.String(
      about('User or service account that sent the report; null if an earlier version stored it', 'ci-bot'),
    ),
  ),
  report_sha256: Type.String(about('Hash of the reported artifacts', EXAMPLE_FINGERPRINT)),
})

export const LateReportList = Type.Array(StoredLateReport, {
  title: 'LateReportList',
  description: 'The late reports, the last observed first',
})

export function toWire(row: LateReportRow): Static<typeof StoredLateReport> {
  return {
    id: toWireId(row.late_report_id),
    environment_name: row.environment_name,
    observed_at: toEpoch(row.observed_at),
    received_at: toEpoch(row.received_at),
    newest_at: toEpochOrNull(row.newest_at),
    artifact_count: row.artifact_count,
    missing: row.missing ?? [],
    reporter: row.reporter as Static<typeof StoredLateReport>['reporter'],
    reported_by: row.reported_by,
    report_sha256: row.report_sha256,
  }
}
