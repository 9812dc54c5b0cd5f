// Every statement about the keys of service accounts.
import { allNullable, computed, pick, toColumnList, toSelectList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { bool, defineStatement, nullable, text, texts, time, uuid, uuids } from '../../db/statement.ts'
import type { Family } from '../../domain/key-scope.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { addServiceAccountKey, NEW_KEY } from '../keys/store.ts'
import type { KeyRow } from '../keys/wire.ts'

/** A key `k`, with its limits by the current names of flows and environments. */
const KEY = {
  ...NEW_KEY,
  created_at: time,
  stops_at: computed(
    nullable(time),
    `select least(k.expires_at, s.keys_stop_at) from service_accounts s
     where s.org_id = k.org_id and s.service_account_id = k.service_account_id`,
  ),
  last_used_at: nullable(time),
  last_used_from: nullable(text),
  flows: computed(
    nullable(texts),
    `case when k.flow_ids is not null then array(
       select f.name from flows f where f.org_id = k.org_id and f.flow_id = any (k.flow_ids) order by f.name
     ) end`,
  ),
  environments: computed(
    nullable(texts),
    `case when k.environment_ids is not null then array(
       select e.name from environments e
       where e.org_id = k.org_id and e.environment_id = any (k.environment_ids) order by e.name
     ) end`,
  ),
}

const list = defineStatement(
  'service_account_keys.list',
  { org_id: uuid, service_account_id: uuid, now: time },
  KEY,
  `select ${toSelectList('k', KEY)} from service_account_keys k
   where k.org_id = :org_id and k.service_account_id = :service_account_id and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > :now)
   order by k.key_id`,
)

/** Active keys, oldest first. */
export function listAccountKeys(
  db: Db,
  org_id: string,
  service_account_id: string,
  now: Date,
): Promise<KeyRow[]> {
  return db.run(list, { org_id, service_account_id, now })
}

const find = defineStatement(
  'service_account_keys.find',
  { org_id: uuid, name: text, key_id: nullable(uuid), now: time },
  { has_key: bool, ...allNullable(KEY) },
  `select k.key_id is not null as has_key, ${toSelectList('k', KEY)}
   from service_accounts a
   left join service_account_keys k on k.org_id = a.org_id and k.service_account_id = a.service_account_id
     and k.key_id = :key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)
   where a.org_id = :org_id and a.name = :name and a.deleted_at is null`,
)

/** Distinguishes 'no account' and 'no key', in one round trip. */
export async function findAccountKey(
  db: Database,
  org_id: string,
  filter: { name: string; key_id: string | null; now: Date },
): Promise<KeyRow | 'no account' | 'no key'> {
  const [row] = await db.runOnce({ org_id }, find, { org_id, ...filter })
  if (!row) return 'no account'
  return row.has_key ? (row as KeyRow) : 'no key'
}

const CHANGED = pick(NEW_KEY, 'key_id', 'hint', 'description', 'expires_at')
const LOCKED = {
  ...NEW_KEY,
  flow_ids: nullable(uuids),
  environment_ids: nullable(uuids),
  replaced_by: nullable(uuid),
}

const lock = defineStatement(
  'service_account_keys.lock',
  { org_id: uuid, service_account_id: uuid, key_id: uuid, now: time },
  LOCKED,
  `select ${toColumnList(LOCKED)} from service_account_keys
   where org_id = :org_id and service_account_id = :service_account_id and key_id = :key_id
     and revoked_at is null and (expires_at is null or expires_at > :now)
   for update`,
)

const replace = defineStatement(
  'service_account_keys.replace',
  { org_id: uuid, key_id: uuid, replaced_by: uuid, expires_at: time },
  {},
  `update service_account_keys set replaced_by = :replaced_by, expires_at = :expires_at
   where org_id = :org_id and key_id = :key_id`,
)

const revoke = defineStatement(
  'service_account_keys.revoke',
  { org_id: uuid, service_account_id: uuid, key_id: uuid, now: time, revoked_by: text },
  CHANGED,
  `update service_account_keys set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and service_account_id = :service_account_id and key_id = :key_id
     and revoked_at is null and (expires_at is null or expires_at > :now)
   returning ${toColumnList(CHANGED)}`,
)

/** `changed_by` is recorded with keys that are created or revoked. */
export function makeAccountKeyRing(
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
    lock: async key_id => {
      const [row] = await tx.run(lock, { ...owner, key_id, now })
      return row && { ...row, limits: { ...row, operations: row.operations as Family[] | null } }
    },
    replace: async old => {
      await tx.run(replace, { org_id, ...old })
    },
    revoke: async key_id => (await tx.run(revoke, { ...owner, key_id, now, revoked_by: changed_by }))[0],
  }
}

const revokeAll = defineStatement(
  'service_account_keys.revoke_all',
  { org_id: uuid, service_account_id: uuid, now: time, revoked_by: text },
  { key_id: uuid, hint: text },
  `update service_account_keys set revoked_at = :now, revoked_by = :revoked_by
   where org_id = :org_id and service_account_id = :service_account_id and revoked_at is null
   returning key_id, hint`,
)

/** Includes expired keys, so a deleted account has no unrevoked key. */
export function revokeAllKeys(
  db: Db,
  org_id: string,
  revoked: { service_account_id: string; now: Date; revoked_by: string },
): Promise<{ key_id: string; hint: string }[]> {
  return db.run(revokeAll, { org_id, ...revoked })
}
