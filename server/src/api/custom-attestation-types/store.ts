// Every statement about custom attestation types and their versions. A type always has a version, because the
// transaction that stores the type also stores the first one.
import { toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  bool,
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
import type { SummaryEntry, TypeVersion } from '../../domain/custom-type/version.ts'

type Schema = Record<string, unknown>

/** The fields that clients set, except those of a version. */
const FIELDS = { description: nullable(text) }

const VERSION = {
  version: int,
  type_schema: nullable(json<Schema>()),
  rules: nullable(texts),
  summary: nullable(json<SummaryEntry[]>()),
}

const TYPE = {
  name: text,
  ...FIELDS,
  archived_at: nullable(time),
  created_by: text,
  created_at: time,
  last_modified_at: time,
}

const TYPE_AND_VERSION = { ...TYPE, ...VERSION, version_created_by: text, version_created_at: time }

const TYPE_COLUMNS = `
  ${toSelectList('t', TYPE)}, ${toSelectList('v', VERSION)}, v.created_by as version_created_by,
  v.created_at as version_created_at`

const WITH_VERSIONS = `
  custom_attestation_types t
  join custom_attestation_type_versions v on v.org_id = t.org_id and v.type_id = t.type_id`

const find = defineStatement(
  'custom_types.find',
  { org_id: uuid, name: text },
  TYPE_AND_VERSION,
  `select ${TYPE_COLUMNS} from ${WITH_VERSIONS}
   where t.org_id = :org_id and t.name = :name
   order by v.version desc`,
)

export type TypeRow = RowOf<typeof find>

/** One row per version, newest first; none when the type does not exist. Includes archived types. */
export function listTypeVersions(db: Database, org_id: string, name: string) {
  return db.read({ org_id }, find, { org_id, name })
}

const findVersion = defineStatement(
  'custom_types.find_version',
  { org_id: uuid, name: text, version: count },
  TYPE_AND_VERSION,
  `select ${TYPE_COLUMNS} from ${WITH_VERSIONS}
   where t.org_id = :org_id and t.name = :name
     and (v.version = :version::bigint
          -- If that version does not exist, the newest one shows that the type does.
          or not exists (select from custom_attestation_type_versions w
                         where w.org_id = t.org_id and w.type_id = t.type_id and w.version = :version::bigint))
   order by v.version desc
   limit 1`,
)

/** The requested version; another one if only the type exists; undefined if the type does not exist. */
export async function findTypeVersion(db: Database, org_id: string, name: string, version: number) {
  return (await db.read({ org_id }, findVersion, { org_id, name, version }))[0]
}

const list = defineStatement(
  'custom_types.list',
  { org_id: uuid, archived: bool },
  TYPE_AND_VERSION,
  `select ${TYPE_COLUMNS} from ${WITH_VERSIONS}
   where t.org_id = :org_id and (t.archived_at is not null) = :archived::boolean
   order by t.name, v.version desc`,
)

const countAll = defineStatement(
  'custom_types.count',
  { org_id: uuid },
  { total: count, archived: count },
  `select count(*) filter (where archived_at is null) as total,
     count(*) filter (where archived_at is not null) as archived
   from custom_attestation_types where org_id = :org_id`,
)

/** Every version of every type, archived or not, the versions of one type in sequence; and the number of types. */
export async function listTypes(db: Database, org_id: string, archived: boolean) {
  const [rows, [counted]] = await Promise.all([
    db.read({ org_id }, list, { org_id, archived }),
    db.read({ org_id }, countAll, { org_id }),
  ])
  return { rows, counted }
}

const LATEST_VERSION = `
  join lateral (
    select ${toColumnList(VERSION)} from custom_attestation_type_versions
    where org_id = t.org_id and type_id = t.type_id
    order by version desc limit 1
  ) v on true`

/** The version by which new attestations of the type are evaluated. */
const latest = defineStatement(
  'custom_types.latest',
  { org_id: uuid, name: text },
  { archived_at: nullable(time), ...VERSION },
  `select t.archived_at, ${toSelectList('v', VERSION)} from custom_attestation_types t ${LATEST_VERSION}
   where t.org_id = :org_id and t.name = :name`,
)

const known = defineStatement(
  'custom_types.known',
  { org_id: uuid, names: json<readonly string[]>() },
  { name: text },
  `select t.name from custom_attestation_types t
   where t.org_id = :org_id and t.archived_at is null
     and t.name in (select jsonb_array_elements_text(:names::jsonb))`,
)

/** The names that belong to types which are not archived. */
export async function listKnownTypes(db: Db, org_id: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  return new Set((await db.run(known, { org_id, names })).map(({ name }) => name))
}

export async function findLatestVersion(db: Database, org_id: string, name: string) {
  return (await db.read({ org_id }, latest, { org_id, name }))[0]
}

const NEW = { type_id: uuid, name: text, ...FIELDS, created_by: text }

const insert = defineStatement(
  'custom_types.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { type_id: uuid },
  `insert into custom_attestation_types (org_id, ${toColumnList(NEW)}, created_at, last_modified_at)
   values (:org_id, ${toValueList(NEW)}, :now, :now)
   on conflict (org_id, name) do nothing
   returning type_id`,
)

export type NewType = Values<typeof NEW>

/** True when the type is new; false when the name is taken, by an archived type too. */
export async function insertType(db: Db, org_id: string, type: NewType, now: Date): Promise<boolean> {
  return (await db.run(insert, { org_id, ...type, now })).length > 0
}

const insertVersionRow = defineStatement(
  'custom_types.insert_version',
  { org_id: uuid, type_id: uuid, ...VERSION, created_by: text, now: time },
  {},
  `insert into custom_attestation_type_versions (org_id, type_id, ${toColumnList(VERSION)}, created_by, created_at)
   values (:org_id, :type_id, ${toValueList(VERSION)}, :created_by, :now)`,
)

export interface NewVersion extends TypeVersion {
  type_id: string
  version: number
  created_by: string
}

export async function insertVersion(db: Db, org_id: string, version: NewVersion, now: Date): Promise<void> {
  await db.run(insertVersionRow, { org_id, ...version, now })
}

const LOCKED = { type_id: uuid, name: text, ...FIELDS, archived_at: nullable(time) }

const lock = defineStatement(
  'custom_types.lock',
  { org_id: uuid, name: text },
  LOCKED,
  `select ${toColumnList(LOCKED)} from custom_attestation_types
   where org_id = :org_id and name = :name
   for update`,
)

/** Includes archived types, because a POST unarchives them. */
export async function lockType(db: Db, org_id: string, name: string) {
  return (await db.run(lock, { org_id, name }))[0]
}

const latestOfLocked = defineStatement(
  'custom_types.latest_of_locked',
  { org_id: uuid, type_id: uuid },
  VERSION,
  `select ${toColumnList(VERSION)} from custom_attestation_type_versions
   where org_id = :org_id and type_id = :type_id
   order by version desc limit 1`,
)

/** Runs after the lock as a separate statement, so that it sees the version that the previous lock holder stored. */
export async function getLatestVersion(db: Db, org_id: string, type_id: string) {
  const [found] = await db.run(latestOfLocked, { org_id, type_id })
  if (!found) throw new Error('A custom attestation type has no version')
  return found
}

const update = defineStatement(
  'custom_types.update',
  { org_id: uuid, type_id: uuid, ...FIELDS, now: time },
  {},
  `update custom_attestation_types set ${toSetList(FIELDS)}, archived_at = null, last_modified_at = :now
   where org_id = :org_id and type_id = :type_id`,
)

/** Also unarchives the type. */
export async function updateType(
  db: Db,
  org_id: string,
  type: Values<typeof FIELDS> & { type_id: string; now: Date },
): Promise<void> {
  await db.run(update, { org_id, ...type })
}

const archive = defineStatement(
  'custom_types.archive',
  { org_id: uuid, type_id: uuid, now: time },
  {},
  `update custom_attestation_types set archived_at = :now, last_modified_at = :now
   where org_id = :org_id and type_id = :type_id`,
)

export async function archiveType(db: Db, org_id: string, type_id: string, now: Date): Promise<void> {
  await db.run(archive, { org_id, type_id, now })
}
