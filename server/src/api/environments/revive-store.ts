// The statement that ends the allow-list of an archived environment before a PUT restores it.
import type { Db } from '../../db/database.ts'
import { defineStatement, text, time, uuid } from '../../db/statement.ts'

const endAll = defineStatement(
  'allow_list.end_all',
  { org_id: uuid, environment_id: uuid, ended_by: text, now: time },
  { entry_id: uuid, fingerprint: text, artifact_name: text },
  `update allow_list set ended_at = :now, ended_by = :ended_by
   where org_id = :org_id and environment_id = :environment_id and ended_at is null
   returning entry_id, fingerprint, artifact_name`,
)

/** Returns the entries that it ended. */
export function endEntries(
  db: Db,
  org_id: string,
  ending: { environment_id: string; ended_by: string; now: Date },
) {
  return db.run(endAll, { org_id, ...ending })
}
