// The statements that find what is to be removed for good. They work across orgs, as the owner.
import type { Db } from '../db/database.ts'
import { defineStatement, text, time, uuid } from '../db/statement.ts'

const due = defineStatement(
  'purge.due',
  { now: time },
  { org_id: uuid, name: text },
  'select org_id, name from orgs where delete_after <= :now order by name',
)

/** Those whose time to think again is over. */
export function listOrgsDue(db: Db, now: Date): Promise<{ org_id: string; name: string }[]> {
  return db.run(due, { now })
}

const lock = defineStatement(
  'purge.lock',
  { org_id: uuid, now: time },
  { org_id: uuid },
  'select org_id from orgs where org_id = :org_id and delete_after <= :now for update',
)

/** False when it was restored meanwhile; until the end of the transaction it cannot be. */
export async function lockDue(db: Db, org_id: string, now: Date): Promise<boolean> {
  return (await db.run(lock, { org_id, now })).length > 0
}

const leave = defineStatement(
  'purge.clear_default_org',
  { org_id: uuid },
  {},
  'update users set default_org_id = null where default_org_id = :org_id',
)

/** People stay; it is nobody's default any more. */
export async function clearDefaultOrg(db: Db, org_id: string): Promise<void> {
  await db.run(leave, { org_id })
}
