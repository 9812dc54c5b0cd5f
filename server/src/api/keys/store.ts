// Every statement that looks up or inserts keys: the caller, and the caller's role in an organization.
import { toColumnList, toValueList } from '../../db/columns.ts'
import { type Database, type Db, makeStep, type Step } from '../../db/database.ts'
import { isThawed } from '../../db/frozen-orgs.ts'
import {
  bool,
  defineStatement,
  json,
  nullable,
  PLANNED_ONCE,
  text,
  texts,
  time,
  uuid,
  uuids,
  type Values,
} from '../../db/statement.ts'
import type { KeyScope } from '../../domain/key-scope.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'
import type { OwnQuotas } from '../../domain/quotas.ts'

const HOLDER_ROW = {
  kind: text,
  owner_id: uuid,
  owner_name: text,
  key_id: uuid,
  created_at: time,
  expires_at: nullable(time),
  last_used_at: nullable(time),
  default_org_name: nullable(text),
  operations: nullable(texts),
  flow_ids: nullable(uuids),
  environment_ids: nullable(uuids),
  allowed_addresses: nullable(texts),
  org_id: nullable(uuid),
  org_name: nullable(text),
  role: nullable(text),
  /** The owner of a service account; null if the organization owns it. */
  account_owner_id: nullable(uuid),
  /** The owner's role in the organization of the account, now or when they left; null if nobody knows. */
  account_owner_role: nullable(text),
  has_account_owner_left: bool,
  features: nullable(json<Record<string, boolean>>()),
  settings: nullable(json<OrgSettings>()),
  quotas: nullable(json<OwnQuotas>()),
  sponsor: nullable(text),
}

const findByKey = defineStatement(
  'keys.find_by_key',
  { key_hash: text, org_name: nullable(text) },
  HOLDER_ROW,
  `with presented as (
     select 'user' as kind, k.user_id as owner_id, u.name as owner_name, k.key_id, k.created_at, k.expires_at,
            k.last_used_at, home.name as default_org_name, k.operations, null::uuid[] as flow_ids,
            null::uuid[] as environment_ids, k.allowed_addresses, null::uuid as own_org_id, null::text as privilege,
            null::uuid as account_owner_id, null::text as owner_left_as, false as has_account_owner_left
     from personal_keys k
     join users u on u.user_id = k.user_id and u.deactivated_at is null
     left join orgs home on home.org_id = u.default_org_id
     where k.secret_hash = decode(:key_hash, 'hex') and k.revoked_at is null
     union all
     select 'service_account', k.service_account_id, a.name, k.key_id, k.created_at, least(k.expires_at, a.keys_stop_at),
            k.last_used_at, home.name, k.operations, k.flow_ids, k.environment_ids, k.allowed_addresses, k.org_id,
            a.privilege, a.owner_user_id, a.owner_left_as, a.keys_stop_at is not null
     from service_account_keys k
     join service_accounts a on a.org_id = k.org_id and a.service_account_id = k.service_account_id
       and a.deleted_at is null
     join orgs home on home.org_id = k.org_id
     where k.secret_hash = decode(:key_hash, 'hex') and k.revoked_at is null
     union all
     select 'ci_job', k.rule_id, 'ci:' || r.name, k.key_id, k.created_at, k.expires_at, k.last_used_at, home.name,
            r.operations, case when r.flow_id is not null then array[r.flow_id] end, null, null, k.org_id, r.privilege,
            null, null, false
     from ci_keys k
     join trust_rules r on r.org_id = k.org_id and r.rule_id = k.rule_id and r.deleted_at is null
     join orgs home on home.org_id = k.org_id
     where k.secret_hash = decode(:key_hash, 'hex')
   )
   select p.kind, p.owner_id, p.owner_name, p.key_id, p.created_at, p.expires_at, p.last_used_at, p.default_org_name,
          p.operations, p.flow_ids, p.environment_ids, p.allowed_addresses,
          o.org_id, o.name as org_name, o.features, o.settings, o.quotas, o.sponsor,
          case when o.org_id = p.own_org_id then p.privilege else m.role end as role,
          p.account_owner_id, coalesce(own.role, p.owner_left_as) as account_owner_role, p.has_account_owner_left
   from presented p
   left join orgs o on o.name = :org_name::text and o.delete_requested_at is null
   left join memberships m on m.org_id = o.org_id and m.user_id = p.owner_id
   left join memberships own on own.org_id = p.own_org_id and own.user_id = p.account_owner_id`,
  PLANNED_ONCE,
)

export type KeyHolder = NonNullable<Awaited<ReturnType<typeof findHolder>>>

/** Finds the holder of an active key and its role in the named organization, in one round trip. */
export async function findHolder(db: Database, key_hash: string, org_name: string | null) {
  const [holder] = await db.read({ key_hash }, findByKey, { key_hash, org_name })
  return holder
}

/** A step for use within a transaction. */
export function makeHolderStep(key_hash: string, org_name: string | null): Step {
  return makeStep(findByKey, { key_hash, org_name })
}

const touch = defineStatement(
  'keys.touch',
  { key_hash: text, now: time, address: text },
  { touched: bool },
  `with personal as (
     update personal_keys set last_used_at = :now, last_used_from = :address
     where secret_hash = decode(:key_hash, 'hex') returning true
   ), ci as (
     update ci_keys c set last_used_at = :now, last_used_from = :address
     where secret_hash = decode(:key_hash, 'hex') and ${isThawed('c.org_id')}
   )
   update service_account_keys k set last_used_at = :now, last_used_from = :address
   where secret_hash = decode(:key_hash, 'hex') and ${isThawed('k.org_id')}
   returning true as touched`,
)

export async function touchKey(
  db: Database,
  key_hash: string,
  use: { now: Date; address: string },
): Promise<void> {
  await db.runOnce({ key_hash }, touch, { key_hash, ...use })
}

const secretOwner = defineStatement(
  'keys.known_secret',
  { key_hash: text },
  { owner_id: uuid },
  `select k.user_id as owner_id from personal_keys k where k.secret_hash = decode(:key_hash, 'hex')
   union all
   select k.service_account_id from service_account_keys k where k.secret_hash = decode(:key_hash, 'hex')`,
)

/** The id of the user or service account with this secret, in any organization. */
export async function findSecretOwner(db: Db, key_hash: string): Promise<string | undefined> {
  const [row] = await db.run(secretOwner, { key_hash })
  return row?.owner_id
}

/** The columns that keys of people and of service accounts have. */
export const NEW_KEY = {
  key_id: uuid,
  hint: text,
  description: text,
  /** Null means that it never expires. */
  expires_at: nullable(time),
  operations: nullable(texts),
  allowed_addresses: nullable(texts),
}

const insertPersonal = defineStatement(
  'keys.insert_personal',
  { user_id: uuid, ...NEW_KEY, key_hash: text, now: time },
  {},
  `insert into personal_keys (user_id, ${toColumnList(NEW_KEY)}, secret_hash, created_at)
   values (:user_id, ${toValueList(NEW_KEY)}, decode(:key_hash, 'hex'), :now)`,
)

export interface NewKeyRow extends Omit<Values<typeof NEW_KEY>, keyof KeyLimitation> {
  key_hash: string
  now: Date
  /** Omitted means everything that its owner may do, from any address. */
  limits?: KeyLimitation
}

/** The limits of a key, as stored; null means no limit. */
export interface KeyLimitation extends KeyScope {
  allowed_addresses: readonly string[] | null
}

export const NO_LIMITATION: KeyLimitation = {
  operations: null,
  flow_ids: null,
  environment_ids: null,
  allowed_addresses: null,
}

/** Statement parameters take mutable arrays. */
function toStoredLimits({ operations, flow_ids, environment_ids, allowed_addresses }: KeyLimitation) {
  const copy = <T>(list: readonly T[] | null) => list && [...list]
  return {
    operations: copy(operations),
    flow_ids: copy(flow_ids),
    environment_ids: copy(environment_ids),
    allowed_addresses: copy(allowed_addresses),
  }
}

/** Personal keys work in several organizations, so they cannot be limited to a flow or an environment. */
export async function addPersonalKey(db: Db, user_id: string, key: NewKeyRow): Promise<void> {
  const { limits = NO_LIMITATION, ...row } = key
  const { operations, allowed_addresses } = toStoredLimits(limits)
  await db.run(insertPersonal, { user_id, ...row, operations, allowed_addresses })
}

const NEW_ACCOUNT_KEY = {
  ...NEW_KEY,
  created_by: text,
  flow_ids: nullable(uuids),
  environment_ids: nullable(uuids),
}

const insertServiceAccountKey = defineStatement(
  'keys.insert_service_account_key',
  { org_id: uuid, service_account_id: uuid, ...NEW_ACCOUNT_KEY, key_hash: text, now: time },
  {},
  `insert into service_account_keys (org_id, service_account_id, ${toColumnList(NEW_ACCOUNT_KEY)}, secret_hash,
                                     created_at)
   values (:org_id, :service_account_id, ${toValueList(NEW_ACCOUNT_KEY)}, decode(:key_hash, 'hex'), :now)`,
)

export async function addServiceAccountKey(
  db: Db,
  org_id: string,
  service_account_id: string,
  key: NewKeyRow & { created_by: string },
): Promise<void> {
  const { limits = NO_LIMITATION, ...row } = key
  await db.run(insertServiceAccountKey, { org_id, service_account_id, ...row, ...toStoredLimits(limits) })
}
