// Every statement about SCIM tokens, which let an identity provider provision the users of one org.
import { computed, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { isThawed } from '../../db/frozen-orgs.ts'
import {
  bool,
  count,
  defineStatement,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'

/** The person or service account that answers for a token; neither if the organization does. */
const OWNER = { owner_user_id: nullable(uuid), owner_account_id: nullable(uuid), owner_name: nullable(text) }

/** A token that an owner adopts gets the limits of the owner's credential. */
const ADOPTED = { ...OWNER, expires_at: nullable(time), allowed_addresses: nullable(texts) }

const NEW = { token_id: uuid, hint: text, description: text, created_by: text, ...ADOPTED }

const ofAccount = (expression: string) =>
  `select ${expression} from service_accounts a
   where a.org_id = t.org_id and a.service_account_id = t.owner_account_id and a.deleted_at is null`

/** What decides whether the owner of a token `t` is an admin now. Read it in the scope of the organization. */
const STANDING = {
  owner_user_id: nullable(uuid),
  owner_account_id: nullable(uuid),
  /** The role of the person, unless deactivated. */
  owner_role: computed(
    nullable(text),
    `select m.role from memberships m join users u on u.user_id = m.user_id and u.deactivated_at is null
     where m.org_id = t.org_id and m.user_id = t.owner_user_id`,
  ),
  /** Of the service account, unless deleted. */
  account_privilege: computed(nullable(text), ofAccount('a.privilege')),
  account_owner_id: computed(nullable(uuid), ofAccount('a.owner_user_id')),
  account_keys_stop_at: computed(nullable(time), ofAccount('a.keys_stop_at')),
  account_owner_role: computed(
    nullable(text),
    ofAccount(
      'coalesce((select m.role from memberships m where m.org_id = a.org_id and m.user_id = a.owner_user_id), a.owner_left_as)',
    ),
  ),
}

export type TokenStanding = Values<typeof STANDING>

const TOKEN = { ...NEW, ...STANDING, created_at: time, last_used_at: nullable(time) }

const ACTIVE = 't.revoked_at is null and (t.expires_at is null or t.expires_at > :now)'

const list = defineStatement(
  'scim_tokens.list',
  { org_id: uuid, now: time },
  TOKEN,
  `select ${toSelectList('t', TOKEN)} from scim_tokens t
   where t.org_id = :org_id and ${ACTIVE}
   order by t.token_id`,
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
  {
    token_id: uuid,
    hint: text,
    last_used_at: nullable(time),
    allowed_addresses: nullable(texts),
    org_id: uuid,
    org_name: text,
    settings: json<OrgSettings>(),
  },
  `select t.token_id, t.hint, t.last_used_at, t.allowed_addresses, o.org_id, o.name as org_name, o.settings
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

const standing = defineStatement(
  'scim_tokens.standing',
  { org_id: uuid, token_id: uuid },
  STANDING,
  `select ${toSelectList('t', STANDING)} from scim_tokens t
   where t.org_id = :org_id and t.token_id = :token_id`,
)

/** What decides whether the owner of the token is an admin now. */
export async function findStanding(
  db: Database,
  { org_id, token_id }: { org_id: string; token_id: string },
): Promise<TokenStanding | undefined> {
  return (await db.runOnce({ org_id }, standing, { org_id, token_id }))[0]
}

const lockActive = defineStatement(
  'scim_tokens.lock_active',
  { org_id: uuid, token_id: uuid, now: time },
  TOKEN,
  `select ${toSelectList('t', TOKEN)} from scim_tokens t join orgs o on o.org_id = t.org_id
   where t.org_id = :org_id and t.token_id = :token_id and ${ACTIVE} and o.delete_requested_at is null
   for no key update of t`,
)

/** Undefined unless the token is active. Whoever revokes or adopts it waits until the end of the transaction. */
export async function lockActiveToken(
  tx: Db,
  org_id: string,
  token: { token_id: string; now: Date },
): Promise<TokenRow | undefined> {
  return (await tx.run(lockActive, { org_id, ...token }))[0]
}

const adopt = defineStatement(
  'scim_tokens.adopt',
  { org_id: uuid, token_id: uuid, ...ADOPTED },
  {},
  `update scim_tokens set ${toSetList(ADOPTED)} where org_id = :org_id and token_id = :token_id`,
)

/** Gives a locked token another owner. */
export async function adoptToken(
  tx: Db,
  org_id: string,
  token: Values<typeof ADOPTED> & { token_id: string },
): Promise<void> {
  await tx.run(adopt, { org_id, ...token })
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
