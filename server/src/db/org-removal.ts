// Deletes all rows of one org from every table with an org_id, each table before the ones it refers to, and from the
// detached months of the event log.
import type pg from 'pg'
import { ARCHIVE, listEventTables } from './event-months.ts'
import { listTables } from './table-copy.ts'

/** Returns the number of deleted rows by table, without tables that had none. Needs an owner transaction. */
export async function deleteOrgRows(owner: pg.Client, org_id: string): Promise<Record<string, number>> {
  const tables = (await listTables(owner))
    .filter(({ columns }) => columns.some(column => column.name === 'org_id'))
    .map(({ name }) => ({ schema: 'public', name }))
    .reverse()
  const { detached } = await listEventTables(owner)
  tables.push(...detached.map(({ name }) => ({ schema: ARCHIVE, name })))
  const removed: Record<string, number> = {}
  // Two rounds: the second deletes rows that a running service wrote while the first waited for locks.
  for (const { schema, name } of [...tables, ...tables]) {
    const { rowCount } = await owner.query(
      `delete from ${schema}."${name.replaceAll('"', '""')}" where org_id = $1`,
      [org_id],
    )
    if (rowCount) removed[name] = (removed[name] ?? 0) + rowCount
  }
  return removed
}
