// Every statement about the keys of service accounts.
import type { Database, Db } from '../../db/database.ts'
import { bool, nullable, statement, text, time, uuid } from '../../db/statement.ts'
import { addServiceAccountKey } from '../keys/store.ts'
import type { KeyRow } from '../keys/wire.ts'
import type { KeyRing } from '../shared/key-ring.ts'

const KEY_ROW = {
  key_id: uuid,
  hint: text,
  description: text,
  created_at: time,
  expires_at: nullable(time),
  last_used_at: nullable(time),
}

const list = statement(
  'service_account_keys.list',
  { org_id: uuid, service_account_id: uuid, now: time },
  KEY_ROW,
  `select key_id, hint, description, created_at, expires_at, last_used_at from service_account_keys
   where org_id = :org_id and service_account_id = :service_account_id and revoked_at is null
     and (expires_at is null or expires_at > :now)
   order by key_id`,
)

/** Those that work, oldest first. */
export function listAccountKeys(
  db: Db,
  org_id: string,
  service_account_id: string,
  now: Date,
): Promise<KeyRow[]> {
  return db.run(list, { org_id, service_account_id, now })
}

const find = statement(
  'service_account_keys.find',
  { org_id: uuid, name: text, key_id: nullable(uuid), now: time },
  {
    has_key: bool,
    key_id: nullable(uuid),
    hint: nullable(text),
    description: nullable(text),
    created_at: nullable(time),
    expires_at: nullable(time),
    last_used_at: nullable(time),
  },
  `select k.key_id is not null as has_key, k.key_id, k.hint, k.description, k.created_at, k.expires_at, k.last_used_at
   from service_accounts a
   left join service_account_keys k on k.org_id = a.org_id and k.service_account_id = a.service_account_id
     and k.key_id = :key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)
   where a.org_id = :org_id and a.name = :name and a.deleted_at is null`,
)

/** 'no account' and 'no key' are told apart, in one wait. */
export async function findAccountKey(
  db: Database,
  org_id: string,
  wanted: { name: string; key_id: string | null; now: Date },
): Promise<KeyRow | 'no account' | 'no key'> {
  const [row] = await db.once({ org_id }, find, { org_id, ...wanted })
  if (!row) return 'no account'
  return row.has_key ? (row as KeyRow) : 'no key'
}

const hold = statement(
  'service_account_keys.hold',
  { org_id: uuid, service_account_id: uuid, key_id: uuid, now: time },
  KEY_ROW,
  `select key_id, hint, description, created_at, expires_at, last_used_at from service_account_keys
   where org_id = :org_id and service_account_id = :service_account_id and key_id = :key_id
     and revoked_at is null and replaced_by is null and (expires_at is null or expires_at > :now)
   for update`,
)

const replace = statement(
  'service_account_keys.replace',
  { org_id: uuid, key_id: uuid, replaced_by: uuid, expires_at: time },
  {},
  `update service_account_keys set replaced_by = :replaced_by, expires_at = :expires_at
   where org_id = :org_id and key_id = :key_id`,
)

const revoke = statement(
  'service_account_keys.revoke',
  { org_id: uuid, service_account_id: uuid, key_id: uuid, now: time, revoked_by: text },
  KEY_ROW,
  `update service_account_keys set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and service_account_id = :service_account_id and key_id = :key_id
     and revoked_at is null and (expires_at is null or expires_at > :now)
   returning key_id, hint, description, created_at, expires_at, last_used_at`,
)

/** `changed_by` is who is recorded with keys that are made or revoked. */
export function ringOfAccount(
  tx: Db,
  org_id: string,
  { service_account_id, name }: { service_account_id: string; name: string },
  { now, changed_by }: { now: Date; changed_by: string },
): KeyRing {
  const owner = { org_id, service_account_id }
  return {
    owner_name: name,
    kind: 'svc',
    add: key => addServiceAccountKey(tx, org_id, service_account_id, { ...key, created_by: changed_by }),
    hold: async key_id => (await tx.run(hold, { ...owner, key_id, now }))[0],
    replace: async old => {
      await tx.run(replace, { org_id, ...old })
    },
    revoke: async key_id => (await tx.run(revoke, { ...owner, key_id, now, revoked_by: changed_by }))[0],
  }
}

const revokeAll = statement(
  'service_account_keys.revoke_all',
  { org_id: uuid, service_account_id: uuid, now: time, revoked_by: text },
  { key_id: uuid, hint: text },
  `update service_account_keys set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and service_account_id = :service_account_id and revoked_at is null
   returning key_id, hint`,
)

/** Also those that have expired: nothing of a deleted account is left open. */
export function revokeKeysOf(
  db: Db,
  org_id: string,
  revoked: { service_account_id: string; now: Date; revoked_by: string },
): Promise<{ key_id: string; hint: string }[]> {
  return db.run(revokeAll, { org_id, ...revoked })
}
