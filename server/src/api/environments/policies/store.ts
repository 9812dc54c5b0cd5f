// Every statement that attaches policies to environments, detaches and orders them, and finds policies for this.
import type { Db } from '../../../db/database.ts'
import { defineStatement, nullable, text, texts, time, uuid, uuids } from '../../../db/statement.ts'

const named = defineStatement(
  'policies.named',
  { org_id: uuid, names: texts },
  { policy_id: uuid, name: text },
  `select policy_id, name from policies where org_id = :org_id and name = any (:names::text[])`,
)

export interface NamedPolicy {
  policy_id: string
  name: string
}

/** The policies with these names, including archived ones. */
export function listPoliciesByName(db: Db, org_id: string, names: readonly string[]): Promise<NamedPolicy[]> {
  return db.run(named, { org_id, names: [...names] })
}

const lockShared = defineStatement(
  'policies.share',
  { org_id: uuid, policy_ids: uuids },
  { policy_id: uuid, name: text, archived_at: nullable(time) },
  `select policy_id, name, archived_at from policies
   where org_id = :org_id and policy_id = any (:policy_ids::uuid[])
   order by policy_id
   for share`,
)

/** Locks them in id order. The locks block changes and archiving, but not each other. */
export function lockPoliciesShared(db: Db, org_id: string, policy_ids: readonly string[]) {
  return db.run(lockShared, { org_id, policy_ids: [...policy_ids] })
}

const attached = defineStatement(
  'policies.attached',
  { org_id: uuid, environment_id: uuid },
  { policy_id: uuid, name: text },
  `select p.policy_id, p.name
   from environment_policies a join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id
   where a.org_id = :org_id and a.environment_id = :environment_id
   order by a.position, p.name`,
)

/** The policies attached to an environment; they cannot change while the environment is locked. */
export function listAttachedPolicies(db: Db, org_id: string, environment_id: string): Promise<NamedPolicy[]> {
  return db.run(attached, { org_id, environment_id })
}

const attach = defineStatement(
  'policies.attach',
  { org_id: uuid, environment_id: uuid, policy_ids: uuids, attached_by: text, now: time },
  {},
  `insert into environment_policies (org_id, environment_id, policy_id, attached_by, attached_at, position)
   select :org_id, :environment_id, wanted.policy_id, :attached_by, :now, wanted.nth + coalesce((
     select max(a.position) from environment_policies a
     where a.org_id = :org_id and a.environment_id = :environment_id), 0)
   from unnest(:policy_ids::uuid[]) with ordinality as wanted (policy_id, nth)`,
)

export async function attachToEnvironment(
  db: Db,
  org_id: string,
  attaching: { environment_id: string; policy_ids: string[]; attached_by: string; now: Date },
): Promise<void> {
  await db.run(attach, { org_id, ...attaching })
}

const order = defineStatement(
  'policies.order_attached',
  { org_id: uuid, environment_id: uuid, policy_ids: uuids },
  {},
  `update environment_policies a set position = wanted.nth
   from unnest(:policy_ids::uuid[]) with ordinality as wanted (policy_id, nth)
   where a.org_id = :org_id and a.environment_id = :environment_id and a.policy_id = wanted.policy_id
     and a.position <> wanted.nth`,
)

/** Sets the order in which attached policies are shown. */
export async function orderAttached(
  db: Db,
  org_id: string,
  input: { environment_id: string; policy_ids: string[] },
): Promise<void> {
  await db.run(order, { org_id, ...input })
}

const detach = defineStatement(
  'policies.detach',
  { org_id: uuid, environment_id: uuid, policy_ids: uuids },
  {},
  `delete from environment_policies
   where org_id = :org_id and environment_id = :environment_id and policy_id = any (:policy_ids::uuid[])`,
)

export async function detachFromEnvironment(
  db: Db,
  org_id: string,
  detaching: { environment_id: string; policy_ids: string[] },
): Promise<void> {
  await db.run(detach, { org_id, ...detaching })
}
