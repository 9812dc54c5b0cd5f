// The statements about environment allow-lists. Entries are never edited: a change ends one and adds another.
// environments/revive-store.ts ends all entries of one environment.
import { computed, toColumnList, toSelectList, toValueList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'
import type { PolicyInForce } from '../../domain/decision-basis.ts'

const NEW = {
  fingerprint: text,
  artifact_name: text,
  description: text,
  created_by: text,
  expires_at: nullable(time),
}

/** Read from `allow_list l`, its `environments e`, and `decisions d` if two persons decided. */
const ENTRY = {
  environment_name: computed(text, 'e.name'),
  ...NEW,
  created_at: time,
  ended_at: nullable(time),
  ended_by: nullable(text),
  decision_id: computed(nullable(uuid), 'd.decision_id'),
  asked_by: computed(nullable(text), 'd.asked_by'),
  asked_at: computed(nullable(time), 'd.created_at'),
  asked_reason: computed(nullable(text), 'd.reason'),
}

const list = defineStatement(
  'allow_list.list',
  { org_id: uuid, environment_id: nullable(uuid), include_ended: bool, now: time },
  ENTRY,
  `select ${toSelectList('l', ENTRY)}
   from allow_list l
   join environments e on e.org_id = l.org_id and e.environment_id = l.environment_id and e.archived_at is null
   left join decisions d on d.org_id = l.org_id and d.result_id = l.entry_id
   where l.org_id = :org_id
     and (:environment_id::uuid is null or l.environment_id = :environment_id)
     and (:include_ended::boolean or l.ended_at is null and (l.expires_at is null or l.expires_at > :now::timestamptz))
   order by e.name, l.artifact_name, l.fingerprint, l.entry_id`,
)

export type EntryRow = RowOf<typeof list>

/** The entries of all environments that are not archived, or of one. */
export function listEntries(
  db: Db,
  org_id: string,
  filter: { environment_id: string | null; include_ended: boolean; now: Date },
): Promise<EntryRow[]> {
  return db.run(list, { org_id, ...filter })
}

const open = defineStatement(
  'allow_list.open_entry',
  { org_id: uuid, environment_id: uuid, fingerprint: text },
  { entry_id: uuid, artifact_name: text, description: text, expires_at: nullable(time) },
  `select entry_id, artifact_name, description, expires_at from allow_list
   where org_id = :org_id and environment_id = :environment_id and fingerprint = :fingerprint and ended_at is null`,
)

export type OpenEntry = RowOf<typeof open>

/** The entry that nobody has ended, though it may have expired. Stable while the environment is locked. */
export async function findOpenEntry(
  db: Db,
  org_id: string,
  entryKey: { environment_id: string; fingerprint: string },
): Promise<OpenEntry | undefined> {
  return (await db.run(open, { org_id, ...entryKey }))[0]
}

const insert = defineStatement(
  'allow_list.insert',
  { org_id: uuid, entry_id: uuid, environment_id: uuid, ...NEW, now: time },
  {},
  `insert into allow_list (org_id, entry_id, environment_id, ${toColumnList(NEW)}, created_at)
   values (:org_id, :entry_id, :environment_id, ${toValueList(NEW)}, :now)`,
)

export type NewEntry = Values<typeof NEW> & { entry_id: string; environment_id: string }

export async function insertEntry(db: Db, org_id: string, entry: NewEntry, now: Date): Promise<void> {
  await db.run(insert, { org_id, ...entry, now })
}

const end = defineStatement(
  'allow_list.end',
  { org_id: uuid, entry_id: uuid, ended_by: text, now: time },
  {},
  `update allow_list set ended_at = :now, ended_by = :ended_by where org_id = :org_id and entry_id = :entry_id`,
)

export async function endEntry(
  db: Db,
  org_id: string,
  ending: { entry_id: string; ended_by: string; now: Date },
): Promise<void> {
  await db.run(end, { org_id, ...ending })
}

const inForce = defineStatement(
  'allow_list.policies_in_force',
  { org_id: uuid, environment_id: uuid },
  { policy_id: uuid, name: text, version: int },
  `select p.policy_id, p.name, p.latest_version as version
   from environment_policies a join policies p on p.org_id = a.org_id and p.policy_id = a.policy_id
   where a.org_id = :org_id and a.environment_id = :environment_id
   order by p.policy_id`,
)

/** The policies that an entry overrules, in their versions. */
export function listPoliciesInForce(
  db: Db,
  org_id: string,
  environment_id: string,
): Promise<PolicyInForce[]> {
  return db.run(inForce, { org_id, environment_id })
}
