// Every statement about policies and their versions. A policy always has a version: the first one is stored in the same
// transaction. Lists are in list-store.ts, attaching and detaching in environments/policies/store.ts.
import type { Database, Db } from '../../db/database.ts'
import {
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  text,
  texts,
  time,
  uuid,
} from '../../db/statement.ts'
import type { Policy } from '../../domain/policy/policy.ts'

/** A policy that is attached and detached often may have many more events. Only the newest are shown. */
const MAX_EVENTS = 1000

/** Times inside JSON are text. */
export interface VersionInJson {
  version: number
  comment: string
  policy_yaml: string
  created_by: string
  created_at: string
}

export interface EventInJson {
  kind: string
  happened_at: string
  actor: string
  data: Record<string, unknown>
}

export const POLICY_ROW = {
  name: text,
  description: text,
  archived_at: nullable(time),
  created_by: text,
  created_at: time,
  last_modified_at: time,
  consuming_envs: texts,
  versions: json<VersionInJson[]>(),
  events: json<EventInJson[]>(),
  events_count: count,
}

const CONSUMERS = `
  environment_policies a
  join environments e on e.org_id = a.org_id and e.environment_id = a.environment_id and e.archived_at is null`

export const OWN_COLUMNS = `
  p.name, p.description, p.archived_at, p.created_by, p.created_at, p.last_modified_at,
  array(select e.name from ${CONSUMERS}
        where a.org_id = p.org_id and a.policy_id = p.policy_id order by e.name) as consuming_envs,
  (select count(*) from events e where e.org_id = p.org_id and e.policy_id = p.policy_id) as events_count`

export const VERSIONS = `
   select json_agg(json_build_object(
            'version', v.version, 'comment', v.comment, 'policy_yaml', v.policy_yaml,
            'created_by', v.created_by, 'created_at', v.created_at) order by v.version)
   from policy_versions v where v.org_id = p.org_id and v.policy_id = p.policy_id`

export const POLICY_COLUMNS = `${OWN_COLUMNS},
  (${VERSIONS}) as versions,
  (select coalesce(json_agg(json_build_object(
            'kind', n.kind, 'happened_at', n.happened_at, 'actor', n.actor, 'data', n.data) order by n.event_id), '[]')
   from (select e.event_id, e.kind, e.happened_at, e.actor, e.data from events e
         where e.org_id = p.org_id and e.policy_id = p.policy_id
         order by e.event_id desc limit ${MAX_EVENTS}) n) as events`

const find = defineStatement(
  'policies.find',
  { org_id: uuid, name: text },
  POLICY_ROW,
  `select ${POLICY_COLUMNS} from policies p where p.org_id = :org_id and p.name = :name`,
)

export type PolicyRow = RowOf<typeof find>

/** Includes archived policies. */
export async function findPolicy(db: Database, org_id: string, name: string): Promise<PolicyRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, name }))[0]
}

const findVersion = defineStatement(
  'policies.find_version',
  { org_id: uuid, name: text, version: count },
  {
    name: text,
    latest_version: int,
    version: nullable(int),
    comment: nullable(text),
    policy_yaml: nullable(text),
    parsed: nullable(json<Policy>()),
    created_by: nullable(text),
    created_at: nullable(time),
  },
  `select p.name, p.latest_version, v.version, v.comment, v.policy_yaml, v.parsed, v.created_by, v.created_at
   from policies p
   left join policy_versions v
     on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = :version::bigint
   where p.org_id = :org_id and p.name = :name`,
)

export interface PolicyVersionRow {
  version: number
  comment: string
  policy_yaml: string
  parsed: Policy
  created_by: string
  created_at: Date
}

/** Undefined if there is no such policy; `found` is undefined if only the version is missing. */
export async function findPolicyVersion(
  db: Database,
  org_id: string,
  name: string,
  version: number,
): Promise<{ latest_version: number; found: PolicyVersionRow | undefined } | undefined> {
  const [row] = await db.read({ org_id }, findVersion, { org_id, name, version })
  if (!row) return undefined
  const { latest_version } = row
  // The outer join sets either all columns of the version or none.
  return { latest_version, found: row.version === null ? undefined : (row as PolicyVersionRow) }
}

const insert = defineStatement(
  'policies.insert_or_keep',
  { org_id: uuid, policy_id: uuid, name: text, description: text, created_by: text, now: time },
  { policy_id: uuid },
  `insert into policies (org_id, policy_id, name, description, latest_version, created_by, created_at,
                         last_modified_at)
   values (:org_id, :policy_id, :name, :description, 1, :created_by, :now, :now)
   on conflict (org_id, name) do nothing
   returning policy_id`,
)

export interface NewPolicy {
  policy_id: string
  name: string
  description: string
  created_by: string
}

/** True if the policy is new; false if one with that name exists, archived or not. */
export async function insertPolicy(db: Db, org_id: string, policy: NewPolicy, now: Date): Promise<boolean> {
  return (await db.run(insert, { org_id, ...policy, now })).length > 0
}

const insertVersionOf = defineStatement(
  'policies.insert_version',
  {
    org_id: uuid,
    policy_id: uuid,
    version: int,
    comment: text,
    policy_yaml: text,
    parsed: json<Policy>(),
    created_by: text,
    now: time,
  },
  {},
  `insert into policy_versions (org_id, policy_id, version, comment, policy_yaml, parsed, created_by, created_at)
   values (:org_id, :policy_id, :version, :comment, :policy_yaml, :parsed::jsonb, :created_by, :now)`,
)

export interface NewVersion {
  policy_id: string
  version: number
  comment: string
  policy_yaml: string
  parsed: Policy
  created_by: string
}

export async function insertVersion(db: Db, org_id: string, version: NewVersion, now: Date): Promise<void> {
  await db.run(insertVersionOf, { org_id, ...version, now })
}

const lock = defineStatement(
  'policies.lock',
  { org_id: uuid, name: text },
  { policy_id: uuid, name: text, description: text, latest_version: int, archived_at: nullable(time) },
  `select policy_id, name, description, latest_version, archived_at from policies
   where org_id = :org_id and name = :name
   for update`,
)

/** Includes archived policies, because a PUT restores them. Nobody can attach the policy meanwhile. */
export async function lockPolicy(db: Db, org_id: string, name: string) {
  return (await db.run(lock, { org_id, name }))[0]
}

const findYaml = defineStatement(
  'policies.yaml_of_locked',
  { org_id: uuid, policy_id: uuid, version: int },
  { policy_yaml: text },
  `select policy_yaml from policy_versions
   where org_id = :org_id and policy_id = :policy_id and version = :version`,
)

/** A separate statement after the lock, so it sees the version that the previous lock holder stored. */
export async function getPolicyYaml(
  db: Db,
  org_id: string,
  policy: { policy_id: string; version: number },
): Promise<string> {
  const [found] = await db.run(findYaml, { org_id, ...policy })
  if (!found) throw new Error('A policy without its latest version')
  return found.policy_yaml
}

const update = defineStatement(
  'policies.update',
  { org_id: uuid, policy_id: uuid, description: text, latest_version: int, now: time },
  {},
  `update policies
   set description = :description, latest_version = :latest_version, archived_at = null, last_modified_at = :now
   where org_id = :org_id and policy_id = :policy_id`,
)

/** Unarchives the policy. */
export async function updatePolicy(
  db: Db,
  org_id: string,
  policy: { policy_id: string; description: string; latest_version: number; now: Date },
): Promise<void> {
  await db.run(update, { org_id, ...policy })
}

const archive = defineStatement(
  'policies.archive',
  { org_id: uuid, policy_id: uuid, now: time },
  {},
  `update policies set archived_at = :now, last_modified_at = :now
   where org_id = :org_id and policy_id = :policy_id`,
)

export async function archivePolicy(db: Db, org_id: string, policy_id: string, now: Date): Promise<void> {
  await db.run(archive, { org_id, policy_id, now })
}

const consumers = defineStatement(
  'policies.consumers',
  { org_id: uuid, policy_id: uuid },
  { name: text },
  `select e.name from ${CONSUMERS} where a.org_id = :org_id and a.policy_id = :policy_id order by e.name`,
)

/** Names of the active environments it is attached to. */
export async function listConsumers(db: Db, org_id: string, policy_id: string): Promise<string[]> {
  return (await db.run(consumers, { org_id, policy_id })).map(({ name }) => name)
}
