// The statement that finds the SCIM tokens of a person who is no longer an admin.
import type { Db } from '../../db/database.ts'
import { defineStatement, type RowOf, text, time, uuid } from '../../db/statement.ts'

const ofPerson = defineStatement(
  'scim_tokens.of_person',
  { org_id: uuid, user_id: uuid, now: time },
  { token_id: uuid, hint: text, description: text },
  `select t.token_id, t.hint, t.description from scim_tokens t
   where t.org_id = :org_id and t.revoked_at is null and (t.expires_at is null or t.expires_at > :now)
     and (t.owner_user_id = :user_id or t.owner_account_id in (
       select a.service_account_id from service_accounts a
       where a.org_id = :org_id and a.owner_user_id = :user_id and a.deleted_at is null
     ))
   order by t.token_id`,
)

/** The active tokens that a person answers for, themselves or through a service account. */
export function listTokensOfPerson(
  db: Db,
  org_id: string,
  owner: { user_id: string; now: Date },
): Promise<RowOf<typeof ofPerson>[]> {
  return db.run(ofPerson, { org_id, ...owner })
}
