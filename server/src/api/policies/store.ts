// Every statement about policies and their versions. A policy always has a version: the first one is stored in the same
// transaction. Lists are in list-store.ts, attaching and detaching in environments/policies/store.ts.
import {
  allNullable,
  computed,
  pick,
  toColumnList,
  toSelectList,
  toSetList,
  toValueList,
} from '../../db/columns.ts'
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
  type Values,
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

/** The fields that clients set; the policy itself is in its versions. */
const FIELDS = { description: text }

const STORED = {
  policy_id: uuid,
  name: text,
  ...FIELDS,
  latest_version: int,
  archived_at: nullable(time),
  created_by: text,
  created_at: time,
  last_modified_at: time,
}

const CONSUMERS = `
  environment_policies a
  join environments e on e.org_id = a.org_id and e.environment_id = a.environment_id and e.archived_at is null`

const SUMMARY = {
  ...pick(STORED, 'name', 'archived_at', 'created_by', 'created_at', 'last_modified_at'),
  ...FIELDS,
  consuming_envs: computed(
    texts,
    `array(select e.name from ${CONSUMERS}
           where a.org_id = p.org_id and a.policy_id = p.policy_id order by e.name)`,
  ),
  events_count: computed(
    count,
    'select count(*) from events e where e.org_id = p.org_id and e.policy_id = p.policy_id',
  ),
}

const VERSIONS = `
  select json_agg(json_build_object(
           'version', v.version, 'comment', v.comment, 'policy_yaml', v.policy_yaml,
           'created_by', v.created_by, 'created_at', v.created_at) order by v.version)
  from policy_versions v where v.org_id = p.org_id and v.policy_id = p.policy_id`

export const POLICY = {
  ...SUMMARY,
  versions: computed(json<VersionInJson[]>(), VERSIONS),
  events: computed(
    json<EventInJson[]>(),
    `select coalesce(json_agg(json_build_object(
              'kind', n.kind, 'happened_at', n.happened_at, 'actor', n.actor, 'data', n.data) order by n.event_id), '[]')
     from (select e.event_id, e.kind, e.happened_at, e.actor, e.data from events e
           where e.org_id = p.org_id and e.policy_id = p.policy_id
           order by e.event_id desc limit ${MAX_EVENTS}) n`,
  ),
}

/** With its newest version and no events: a policy may have hundreds of long versions and a thousand events. */
export const LISTED_POLICY = {
  ...SUMMARY,
  versions: computed(json<VersionInJson[]>(), `${VERSIONS} and v.version = p.latest_version`),
  events: computed(json<EventInJson[]>(), `'[]'::json`),
}

const find = defineStatement(
  'policies.find',
  { org_id: uuid, name: text },
  POLICY,
  `select ${toSelectList('p', POLICY)} from policies p where p.org_id = :org_id and p.name = :name`,
)

export type PolicyRow = RowOf<typeof find>

/** Includes archived policies. */
export async function findPolicy(db: Database, org_id: string, name: string): Promise<PolicyRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, name }))[0]
}

const VERSION = {
  version: int,
  comment: text,
  policy_yaml: text,
  parsed: json<Policy>(),
  created_by: text,
}
const STORED_VERSION = { ...VERSION, created_at: time }

const findVersion = defineStatement(
  'policies.find_version',
  { org_id: uuid, name: text, version: count },
  { ...pick(STORED, 'name', 'latest_version'), ...allNullable(STORED_VERSION) },
  `select p.name, p.latest_version, ${toSelectList('v', STORED_VERSION)}
   from policies p
   left join policy_versions v
     on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = :version::bigint
   where p.org_id = :org_id and p.name = :name`,
)

export type PolicyVersionRow = Values<typeof STORED_VERSION>

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

const NEW = { ...pick(STORED, 'policy_id', 'name', 'created_by'), ...FIELDS }

const insert = defineStatement(
  'policies.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { policy_id: uuid },
  `insert into policies (org_id, ${toColumnList(NEW)}, latest_version, created_at, last_modified_at)
   values (:org_id, ${toValueList(NEW)}, 1, :now, :now)
   on conflict (org_id, name) do nothing
   returning policy_id`,
)

export type NewPolicy = Values<typeof NEW>

/** True if the policy is new; false if one with that name exists, archived or not. */
export async function insertPolicy(db: Db, org_id: string, policy: NewPolicy, now: Date): Promise<boolean> {
  return (await db.run(insert, { org_id, ...policy, now })).length > 0
}

const insertVersionOf = defineStatement(
  'policies.insert_version',
  { org_id: uuid, policy_id: uuid, ...VERSION, now: time },
  {},
  `insert into policy_versions (org_id, policy_id, ${toColumnList(VERSION)}, created_at)
   values (:org_id, :policy_id, ${toValueList(VERSION)}, :now)`,
)

export type NewVersion = Values<typeof VERSION> & { policy_id: string }

export async function insertVersion(db: Db, org_id: string, version: NewVersion, now: Date): Promise<void> {
  await db.run(insertVersionOf, { org_id, ...version, now })
}

const LOCKED = { ...pick(STORED, 'policy_id', 'name', 'latest_version', 'archived_at'), ...FIELDS }

const lock = defineStatement(
  'policies.lock',
  { org_id: uuid, name: text },
  LOCKED,
  `select ${toColumnList(LOCKED)} from policies where org_id = :org_id and name = :name for update`,
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
  { org_id: uuid, policy_id: uuid, ...FIELDS, latest_version: int, now: time },
  {},
  `update policies
   set ${toSetList(FIELDS)}, latest_version = :latest_version, archived_at = null, last_modified_at = :now
   where org_id = :org_id and policy_id = :policy_id`,
)

/** Unarchives the policy. */
export async function updatePolicy(
  db: Db,
  org_id: string,
  policy: Values<typeof FIELDS> & { policy_id: string; latest_version: number; now: Date },
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
