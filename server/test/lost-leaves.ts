// A database that has lost the end of a log, and the operator's commands for logs.
import { pathToFileURL } from 'node:url'
import { SECRET_KEY, type TestApp } from './harness.ts'
import { buildDatabaseUrl, makeDataDirectory, runProgram } from './service.ts'

/** The log as in a backup from before the last leaves. */
export async function loseLeaves({ sql }: TestApp, org_id: string, number: number): Promise<void> {
  await sql('update log_heads set size = size - $2 where org_id = $1', [org_id, number])
  await sql(
    'delete from log_leaves l using log_heads h where h.org_id = l.org_id and l.seq >= h.size and l.org_id = $1',
    [org_id],
  )
  await sql('delete from events e where not exists (select from log_leaves l where l.event_id = e.event_id)')
}

export const runLog = (app: TestApp, ...args: string[]) =>
  runProgram(['admin', 'log', ...args], {
    data_dir: makeDataDirectory(),
    env: {
      DATABASE_URL: buildDatabaseUrl(app.database),
      WAYBILL_SECRET_KEY: SECRET_KEY,
      WAYBILL_EVIDENCE_URL: pathToFileURL(app.evidence_dir).href,
    },
  })
