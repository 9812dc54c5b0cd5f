// Every statement about personal keys. They run in the scope of one user, which sees no other keys.
import { toColumnList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { defineStatement, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'
import type { Family } from '../../domain/key-scope.ts'
import type { KeyRing } from './key-ring.ts'
import { addPersonalKey, type KeyLimitation, NEW_KEY, NO_LIMITATION } from './store.ts'
import type { KeyRow } from './wire.ts'

const KEY = {
  ...NEW_KEY,
  created_at: time,
  last_used_at: nullable(time),
  last_used_from: nullable(text),
}

const list = defineStatement(
  'personal_keys.list',
  { user_id: uuid, now: time },
  KEY,
  `select ${toColumnList(KEY)} from personal_keys
   where user_id = :user_id and revoked_at is null and (expires_at is null or expires_at > :now)
   order by key_id`,
)

/** Active keys, oldest first. */
export async function listPersonalKeys(db: Db, user_id: string, now: Date): Promise<KeyRow[]> {
  return (await db.run(list, { user_id, now })).map(toKeyRow)
}

export async function listOwnKeys(db: Database, user_id: string, now: Date): Promise<KeyRow[]> {
  return (await db.runOnce({ user_id }, list, { user_id, now })).map(toKeyRow)
}

/** Personal keys are never limited to a flow or an environment. */
function toKeyRow(row: RowOf<typeof list>): KeyRow {
  return { ...row, stops_at: row.expires_at, flows: null, environments: null }
}

const find = defineStatement(
  'personal_keys.find',
  { user_id: uuid, key_id: uuid, now: time },
  KEY,
  `select ${toColumnList(KEY)} from personal_keys
   where user_id = :user_id and key_id = :key_id and revoked_at is null
     and (expires_at is null or expires_at > :now)`,
)

export async function findOwnKey(
  db: Database,
  user_id: string,
  key_id: string,
  now: Date,
): Promise<KeyRow | undefined> {
  const [row] = await db.runOnce({ user_id }, find, { user_id, key_id, now })
  return row && toKeyRow(row)
}

const LOCKED = { ...KEY, replaced_by: nullable(uuid) }

const lock = defineStatement(
  'personal_keys.lock',
  { user_id: uuid, key_id: uuid, now: time },
  LOCKED,
  `select ${toColumnList(LOCKED)} from personal_keys
   where user_id = :user_id and key_id = :key_id and revoked_at is null
     and (expires_at is null or expires_at > :now)
   for update`,
)

const replace = defineStatement(
  'personal_keys.replace',
  { user_id: uuid, key_id: uuid, replaced_by: uuid, expires_at: time },
  {},
  `update personal_keys set replaced_by = :replaced_by, expires_at = :expires_at
   where user_id = :user_id and key_id = :key_id`,
)

const revoke = defineStatement(
  'personal_keys.revoke',
  { user_id: uuid, key_id: uuid, now: time, revoked_by: text },
  KEY,
  `update personal_keys set revoked_at = :now, revoked_by = :revoked_by
   where user_id = :user_id and key_id = :key_id and revoked_at is null
     and (expires_at is null or expires_at > :now)
   returning ${toColumnList(KEY)}`,
)

/** `changed_by` is recorded as the person who revoked a key. */
export function makeUserKeyRing(
  tx: Db,
  user: { user_id: string; name: string },
  { now, changed_by }: { now: Date; changed_by: string },
): KeyRing {
  const { user_id } = user
  return {
    owner_name: user.name,
    kind: 'user',
    add: key => addPersonalKey(tx, user_id, key),
    lock: async key_id => {
      const [row] = await tx.run(lock, { user_id, key_id, now })
      return row && { ...row, limits: toLimits(row) }
    },
    replace: async old => {
      await tx.run(replace, { user_id, ...old })
    },
    revoke: async key_id => (await tx.run(revoke, { user_id, key_id, now, revoked_by: changed_by }))[0],
  }
}

function toLimits({ operations, allowed_addresses }: RowOf<typeof lock>): KeyLimitation {
  return { ...NO_LIMITATION, operations: operations as Family[] | null, allowed_addresses }
}
