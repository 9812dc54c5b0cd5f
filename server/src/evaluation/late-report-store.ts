// The statement that stores late reports.
import { toColumnList, toValueList } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { defineStatement, int, json, nullable, text, time, uuid, type Values } from '../db/statement.ts'
import type { Reporter } from '../domain/snapshot/reported.ts'

const COLUMNS = {
  late_report_id: uuid,
  environment_id: uuid,
  observed_at: time,
  received_at: time,
  report_sha256: text,
  artifact_count: int,
  reporter: nullable(json<Reporter>()),
  missing: nullable(json<readonly string[]>()),
  newest_at: time,
  reported_by: text,
}

/** `content` is JSON, stored byte for byte. */
const NEW = { ...COLUMNS, content: text }

const insert = defineStatement(
  'late_reports.insert_or_keep',
  { org_id: uuid, ...NEW },
  { late_report_id: uuid },
  `insert into late_reports (org_id, ${toColumnList(NEW)})
   values (:org_id, ${toValueList(COLUMNS)}, :content::text::json)
   on conflict (org_id, environment_id, observed_at, report_sha256) do nothing
   returning late_report_id`,
)

/** False if the report is already stored. */
export async function insertLateReport(db: Db, org_id: string, report: Values<typeof NEW>): Promise<boolean> {
  return (await db.run(insert, { org_id, ...report })).length > 0
}
