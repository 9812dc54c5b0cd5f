// Every statement about SCIM tokens, which let an identity provider provision the users of one org.
import { toColumnList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { isThawed } from '../../db/frozen-orgs.ts'
import {
  bool,
  count,
  defineStatement,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'

const NEW = { token_id: uuid, hint: text, description: text, created_by: text, expires_at: nullable(time) }

const TOKEN = { ...NEW, created_at: time, last_used_at: nullable(time) }

const list = defineStatement(
  'scim_tokens.list',
  { org_id: uuid, now: time },
  TOKEN,
  `select ${toColumnList(TOKEN)} from scim_tokens
   where org_id = :org_id and revoked_at is null and (expires_at is null or expires_at > :now)
   order by token_id`,
)

export type TokenRow = RowOf<typeof list>

/** Active tokens, oldest first. */
export async function listTokens(db: Database, org_id: string, now: Date): Promise<TokenRow[]> {
  return db.runOnce({ org_id }, list, { org_id, now })
}

const countActive = defineStatement(
  'scim_tokens.count_active',
  { org_id: uuid, now: time },
  { total: count },
  `select count(*) as total from scim_tokens
   where org_id = :org_id and revoked_at is null and (expires_at is null or expires_at > :now)`,
)

export async function countActiveTokens(db: Db, org_id: string, now: Date): Promise<number> {
  return (await db.run(countActive, { org_id, now }))[0]?.total ?? 0
}

export interface NewToken extends Values<typeof NEW> {
  secret_hash: string
  now: Date
}

const insert = defineStatement(
  'scim_tokens.insert',
  { org_id: uuid, ...NEW, secret_hash: text, now: time },
  {},
  `insert into scim_tokens (org_id, ${toColumnList(NEW)}, secret_hash, created_at)
   values (:org_id, ${toValueList(NEW)}, decode(:secret_hash, 'hex'), :now)`,
)

export async function insertToken(db: Db, org_id: string, token: NewToken): Promise<void> {
  await db.run(insert, { org_id, ...token })
}

const revoke = defineStatement(
  'scim_tokens.revoke',
  { org_id: uuid, token_id: uuid, revoked_by: text, now: time },
  { hint: text, description: text },
  `update scim_tokens set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and token_id = :token_id and revoked_at is null
     and (expires_at is null or expires_at > :now)
   returning hint, description`,
)

/** Undefined if there is no such active token. */
export async function revokeToken(
  db: Db,
  org_id: string,
  token: { token_id: string; revoked_by: string; now: Date },
) {
  return (await db.run(revoke, { org_id, ...token }))[0]
}

const findBySecret = defineStatement(
  'scim_tokens.find_by_secret',
  { secret_hash: text, org_name: text, now: time },
  { token_id: uuid, hint: text, last_used_at: nullable(time), org_id: uuid, org_name: text },
  `select t.token_id, t.hint, t.last_used_at, o.org_id, o.name as org_name
   from scim_tokens t join orgs o on o.org_id = t.org_id
   where t.secret_hash = decode(:secret_hash, 'hex') and t.revoked_at is null
     and (t.expires_at is null or t.expires_at > :now) and o.name = :org_name and o.delete_requested_at is null`,
)

export type TokenHolder = RowOf<typeof findBySecret>

/** Finds a token by its secret. Undefined unless it belongs to the named org. */
export async function findTokenHolder(
  db: Database,
  filter: { secret_hash: string; org_name: string; now: Date },
): Promise<TokenHolder | undefined> {
  return (await db.runOnce({ key_hash: filter.secret_hash }, findBySecret, filter))[0]
}

const lockActive = defineStatement(
  'scim_tokens.lock_active',
  { org_id: uuid, token_id: uuid, now: time },
  { token_id: uuid },
  `select t.token_id from scim_tokens t join orgs o on o.org_id = t.org_id
   where t.org_id = :org_id and t.token_id = :token_id and t.revoked_at is null
     and (t.expires_at is null or t.expires_at > :now) and o.delete_requested_at is null
   for no key update of t`,
)

/** Whether the token is still active. Whoever revokes it waits until the end of the transaction. */
export async function lockActiveToken(
  tx: Db,
  org_id: string,
  token: { token_id: string; now: Date },
): Promise<boolean> {
  return (await tx.run(lockActive, { org_id, ...token })).length > 0
}

const touch = defineStatement(
  'scim_tokens.touch',
  { secret_hash: text, now: time },
  { touched: bool },
  `update scim_tokens t set last_used_at = :now
   where secret_hash = decode(:secret_hash, 'hex') and ${isThawed('t.org_id')}
   returning true as touched`,
)

export async function touchToken(db: Database, secret_hash: string, now: Date): Promise<void> {
  await db.runOnce({ key_hash: secret_hash }, touch, { secret_hash, now })
}
