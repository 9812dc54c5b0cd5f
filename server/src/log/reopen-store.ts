// The SQL that opens a new log in place of one that has lost leaves. Only the schema owner may do this.
import type { Db } from '../db/database.ts'
import { bytes, count, defineStatement, int, type RowOf, text, uuid } from '../db/statement.ts'

const reopen = defineStatement(
  'log.reopen',
  { org_id: uuid, epoch: int },
  { origin: text, epoch: int, tag_key: bytes, lost_origin: text, lost_size: count },
  `with lost as (select * from log_heads where org_id = :org_id for update)
   update log_heads h set epoch = :epoch, origin = regexp_replace(lost.origin, '[0-9]+$', :epoch::int::text), size = 0
   from lost where h.org_id = lost.org_id
   returning h.origin, h.epoch, h.tag_key, lost.origin as lost_origin, lost.size as lost_size`,
)

export type ReopenedLog = RowOf<typeof reopen>

export async function openNextEpoch(tx: Db, org_id: string, epoch: number): Promise<ReopenedLog | undefined> {
  const [row] = await tx.run(reopen, { org_id, epoch })
  return row
}
