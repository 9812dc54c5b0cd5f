// The statement that reads which keys expire soon.
import type { Database } from '../../db/database.ts'
import { defineStatement, nullable, type RowOf, readsWholeOrg, text, time, uuid } from '../../db/statement.ts'

const expiring = defineStatement(
  'attention.expiring_keys',
  { org_id: uuid, now: time, until: time },
  { account: text, key_id: uuid, description: text, hint: text, expires_at: nullable(time) },
  `select a.name as account, k.key_id, k.description, k.hint, k.expires_at
   from service_account_keys k
   join service_accounts a on a.org_id = k.org_id and a.service_account_id = k.service_account_id
   where k.org_id = :org_id and k.revoked_at is null and k.expires_at > :now and k.expires_at < :until
     and a.deleted_at is null
   order by k.expires_at, k.key_id`,
  readsWholeOrg('an organization has few keys of service accounts, and only those in use are looked at'),
)

export type ExpiringKeyRow = RowOf<typeof expiring>

/** Active keys of service accounts, soonest first. */
export function listExpiringKeys(
  db: Database,
  org_id: string,
  period: { now: Date; until: Date },
): Promise<ExpiringKeyRow[]> {
  return db.runOnce({ org_id }, expiring, { org_id, ...period })
}
