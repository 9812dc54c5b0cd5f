// The statement that finds the snapshot of an environment at a time.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, time, uuid } from '../../db/statement.ts'

const indexAt = defineStatement(
  'snapshots.index_at',
  { org_id: uuid, environment_id: uuid, time: time },
  { snapshot_index: int },
  `select snapshot_index from snapshots
   where org_id = :org_id and environment_id = :environment_id and created_at <= :time
   order by created_at desc, snapshot_index desc limit 1`,
)

/** The number of the snapshot at a time; 0 before the first. */
export async function findSnapshotIndex(
  db: Db,
  org_id: string,
  selector: { environment_id: string; time: Date },
): Promise<number> {
  return (await db.run(indexAt, { org_id, ...selector }))[0]?.snapshot_index ?? 0
}
