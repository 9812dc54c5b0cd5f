// The SQL for the names of organizations. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, type RowOf, text, uuid, uuids } from '../db/statement.ts'

const names = defineStatement(
  'lost_logs.list_names',
  { org_ids: uuids },
  { org_id: uuid, name: text },
  'select org_id, name from orgs where org_id = any(:org_ids)',
)

export function listOrgNames(
  db: Pick<Db, 'run'>,
  org_ids: readonly string[],
): Promise<RowOf<typeof names>[]> {
  return db.run(names, { org_ids: [...org_ids] })
}
