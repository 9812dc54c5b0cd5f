// The statements that list late reports. An index gives the newest of each environment, and those are merged.
import type { Db } from '../../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  text,
  time,
  uuid,
  uuids,
} from '../../../db/statement.ts'
import type { Reporter } from '../../../domain/snapshot/reported.ts'

/** Only rows of earlier versions are read from the content, which can be megabytes long. */
const selectOrParse = (column: string, parsed: string) =>
  `case when l.artifact_count is null then ${parsed} else l.${column} end as ${column}`

const page = defineStatement(
  'late_reports.page',
  { org_id: uuid, environment_ids: uuids, limit: int, offset: count },
  {
    late_report_id: uuid,
    environment_name: text,
    observed_at: time,
    received_at: time,
    report_sha256: text,
    artifact_count: int,
    reporter: nullable(json<Reporter>()),
    missing: nullable(json<string[]>()),
    newest_at: nullable(time),
    reported_by: nullable(text),
  },
  `select l.late_report_id,
     (select v.name from environments v where v.org_id = :org_id and v.environment_id = l.environment_id) as environment_name,
     l.observed_at, l.received_at, l.report_sha256,
     ${selectOrParse('artifact_count', "json_array_length(l.content -> 'artifacts')")},
     ${selectOrParse('reporter', "nullif((l.content -> 'reporter')::jsonb, 'null')")},
     ${selectOrParse('missing', "nullif((l.content -> 'missing')::jsonb, 'null')")},
     l.newest_at, l.reported_by
   from unnest(:environment_ids::uuid[]) as wanted(environment_id)
   cross join lateral (
     select x.* from late_reports x
     where x.org_id = :org_id and x.environment_id = wanted.environment_id
     order by x.observed_at desc, x.report_sha256 desc
     limit :limit::int + :offset::bigint
   ) l
   order by l.observed_at desc, l.report_sha256 desc, l.environment_id
   limit :limit::int offset :offset::bigint`,
  readsPage,
)

const countAll = defineStatement(
  'late_reports.count',
  { org_id: uuid, environment_ids: uuids },
  { total: count },
  'select count(*) as total from late_reports where org_id = :org_id and environment_id = any (:environment_ids)',
)

export type LateReportRow = RowOf<typeof page>

/** One page and the total count, in one round trip. */
export async function listLateReports(
  db: Db,
  org_id: string,
  environment_ids: string[],
  slice: { limit: number; offset: number },
): Promise<{ rows: LateReportRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db.run(page, { org_id, environment_ids, ...slice }),
    db.run(countAll, { org_id, environment_ids }),
  ])
  return { rows, total: counted?.total ?? 0 }
}
