// Every row of one org, removed from every table that has org_id, each table before the ones it refers to.
import type pg from 'pg'
import { listTables } from './table-copy.ts'

/** Rows by table, only of tables that had some. Inside a transaction of the owner. */
export async function deleteOrgRows(owner: pg.Client, org_id: string): Promise<Record<string, number>> {
  const tables = (await listTables(owner))
    .filter(({ columns }) => columns.some(column => column.name === 'org_id'))
    .map(({ name }) => name)
    .reverse()
  const removed: Record<string, number> = {}
  // Once more, for what a service wrote while the first round waited for its locks: afterwards nothing is left to lock.
  for (const table of [...tables, ...tables]) {
    const { rowCount } = await owner.query(
      `delete from public."${table.replaceAll('"', '""')}" where org_id = $1`,
      [org_id],
    )
    if (rowCount) removed[table] = (removed[table] ?? 0) + rowCount
  }
  return removed
}
