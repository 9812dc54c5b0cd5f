// The statements of the token exchange. Expired keys stay as history.
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, text, time, uuid } from '../../db/statement.ts'

const findOrg = defineStatement(
  'keyless.find_org',
  { name: text },
  { org_id: uuid },
  'select org_id from orgs where name = :name and delete_requested_at is null',
)

/** The caller is not authenticated yet, so this uses the `signin` scope, which reveals only the id. */
export async function findActiveOrg(db: Database, name: string): Promise<string | undefined> {
  return (await db.read({ signin: true }, findOrg, { name }))[0]?.org_id
}

const insertKey = defineStatement(
  'keyless.insert_key',
  {
    org_id: uuid,
    key_id: uuid,
    rule_id: uuid,
    key_hash: text,
    subject: text,
    token_hash: text,
    now: time,
    expires_at: time,
  },
  { key_id: uuid },
  `with issued as (
     insert into ci_keys (org_id, key_id, rule_id, secret_hash, subject, token_hash, created_at, expires_at)
     values (:org_id, :key_id, :rule_id, decode(:key_hash, 'hex'), :subject, decode(:token_hash, 'hex'), :now,
             :expires_at)
     on conflict (org_id, token_hash) do nothing
     returning rule_id, key_id
   ), used as (
     update trust_rules r set last_used_at = :now from issued
     where r.org_id = :org_id and r.rule_id = issued.rule_id
   )
   select key_id from issued`,
)

export interface NewCiKey {
  key_id: string
  rule_id: string
  key_hash: string
  subject: string
  token_hash: string
  now: Date
  expires_at: Date
}

/** Returns false if the token was already exchanged. */
export async function insertCiKey(db: Db, org_id: string, key: NewCiKey): Promise<boolean> {
  return (await db.run(insertKey, { org_id, ...key })).length > 0
}
