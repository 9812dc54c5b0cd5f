// The SQL of the org purge. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, text, time, uuid } from '../db/statement.ts'

const due = defineStatement(
  'purge.due',
  { now: time },
  { org_id: uuid, name: text },
  'select org_id, name from orgs where delete_after <= :now order by name',
)

/** Deleted orgs whose restore period has ended. */
export function listOrgsDue(db: Db, now: Date): Promise<{ org_id: string; name: string }[]> {
  return db.run(due, { now })
}

const lock = defineStatement(
  'purge.lock',
  { org_id: uuid, now: time },
  { org_id: uuid },
  'select org_id from orgs where org_id = :org_id and delete_after <= :now for update',
)

/** Returns false if the org was restored in the meantime. It cannot be restored until the transaction ends. */
export async function lockDue(db: Db, org_id: string, now: Date): Promise<boolean> {
  return (await db.run(lock, { org_id, now })).length > 0
}

const lastCheckpoint = defineStatement(
  'purge.last_checkpoint',
  { org_id: uuid },
  { note: text },
  `select c.note from (
     (select epoch, size, note, 1 as cosigned from log_cosigned where org_id = :org_id
      order by epoch desc, size desc limit 1)
     union all
     (select epoch, size, note, 0 from log_checkpoints where org_id = :org_id
      order by epoch desc, minute desc limit 1)
   ) c
   order by c.epoch desc, c.size desc, c.cosigned desc limit 1`,
)

/** The signed checkpoint, with its cosignatures if there are any. */
export async function findLastCheckpoint(db: Db, org_id: string): Promise<string | null> {
  return (await db.run(lastCheckpoint, { org_id }))[0]?.note ?? null
}

const clearDefault = defineStatement(
  'purge.clear_default_org',
  { org_id: uuid },
  {},
  'update users set default_org_id = null where default_org_id = :org_id',
)

export async function clearDefaultOrg(db: Db, org_id: string): Promise<void> {
  await db.run(clearDefault, { org_id })
}
