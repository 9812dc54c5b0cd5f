// Every statement about controls and their versions. A control always has a version, because the statement that stores
// the control also stores the first one.
import { computed, pick, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
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
} from '../../db/statement.ts'
import type { ControlDefinition, Links, VersionKind } from '../../domain/control/change.ts'
import type { Tags } from '../../domain/tags.ts'

/** By control: the names of the active policies whose latest version requires a decision on it. */
const buildPoliciesCte = (which: string) => `named as materialized (
     select r.control, array_agg(distinct r.policy_name order by r.policy_name) as policies
     from (
       select p.name as policy_name, rule.value ->> 'for_control' as control
       from policies p
       join policy_versions v on v.org_id = p.org_id and v.policy_id = p.policy_id and v.version = p.latest_version
       cross join lateral jsonb_array_elements(v.parsed -> 'artifacts' -> 'attestations') rule
       where p.org_id = :org_id and p.archived_at is null
     ) r
     where ${which}
     group by r.control
   )`

/** The fields that make a version. */
export const DEFINITION = { name: text, description: nullable(text), links: json<Links>() }

export const STORED = {
  control_id: uuid,
  identifier: text,
  ...DEFINITION,
  tags: json<Tags>(),
  version: int,
  created_by: text,
  created_at: time,
  last_modified_at: time,
  archived_at: nullable(time),
}

const CONTROL = {
  ...STORED,
  policies_referencing: computed(
    texts,
    `coalesce((select n.policies from named n where n.control = c.identifier), '{}')`,
  ),
}

const find = defineStatement(
  'controls.find',
  { org_id: uuid, identifier: text },
  CONTROL,
  `with ${buildPoliciesCte('r.control = :identifier')}
   select ${toSelectList('c', CONTROL)} from controls c where c.org_id = :org_id and c.identifier = :identifier`,
)

export type ControlRow = RowOf<typeof find>

/** Includes archived controls. */
export async function findControl(
  db: Database,
  org_id: string,
  identifier: string,
): Promise<ControlRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, identifier }))[0]
}

/** Like `findControl`, inside a transaction, with its own changes. */
export async function readControl(
  db: Db,
  org_id: string,
  identifier: string,
): Promise<ControlRow | undefined> {
  return (await db.run(find, { org_id, identifier }))[0]
}

const FILTER = {
  search: nullable(text),
  archived: bool,
  tag_keys: texts,
  tag_pairs: json<readonly Tags[]>(),
}

export interface ControlFilter {
  /** Part of the name or of the identifier; case is ignored. */
  search: string | null
  /** True lists only archived controls, false only the others. */
  archived: boolean
  tag_keys: string[]
  /** One object per `key:value` filter. */
  tag_pairs: readonly Tags[]
}

const MATCHING = `
  c.org_id = :org_id and (c.archived_at is not null) = :archived::boolean
  and (:search::text is null or position(lower(:search) in lower(c.name)) > 0
       or position(lower(:search) in lower(c.identifier)) > 0)
  and c.tags ?& :tag_keys::text[]
  and not exists (select from jsonb_array_elements(:tag_pairs::jsonb) pair where not c.tags @> pair)`

const countMatching = defineStatement(
  'controls.count',
  { org_id: uuid, ...FILTER },
  { total: count },
  `select count(*) as total from controls c where ${MATCHING}`,
)

const list = defineStatement(
  'controls.list',
  { org_id: uuid, ...FILTER, descending: bool, limit: int, offset: count },
  CONTROL,
  `with ${buildPoliciesCte('r.control is not null')}, page as materialized (
     select c.* from controls c
     where ${MATCHING}
     order by case when :descending::boolean then c.name end desc, case when :descending then c.identifier end desc,
       c.name, c.identifier
     limit :limit::int offset :offset::bigint
   )
   select ${toSelectList('c', CONTROL)} from page c
   order by case when :descending then c.name end desc, case when :descending then c.identifier end desc,
     c.name, c.identifier`,
)

export interface ControlOrder {
  descending: boolean
  limit: number
  offset: number
}

/** One page of controls and their total number. Both statements are sent together. */
export async function listControls(
  db: Db,
  org_id: string,
  filter: ControlFilter,
  order: ControlOrder,
): Promise<{ rows: ControlRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db.run(list, { org_id, ...filter, ...order }),
    db.run(countMatching, { org_id, ...filter }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

const NEW = { ...pick(STORED, 'control_id', 'identifier', 'created_by'), ...DEFINITION }

const insert = defineStatement(
  'controls.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { control_id: uuid },
  `with created as (
     insert into controls (org_id, ${toColumnList(NEW)}, created_at, last_modified_at)
     values (:org_id, ${toValueList(NEW)}, :now, :now)
     on conflict (org_id, identifier) do nothing
     returning *
   ), entered as (
     insert into control_versions (org_id, control_id, version, kind, ${toColumnList(DEFINITION)}, changed_by, changed_at)
     select org_id, control_id, version, 'Created', ${toColumnList(DEFINITION)}, created_by, created_at from created
   )
   select control_id from created`,
)

export interface NewControl extends ControlDefinition {
  control_id: string
  identifier: string
  created_by: string
}

/** True when the control is new; false when the identifier is taken, by an archived control too. */
export async function insertControl(
  db: Db,
  org_id: string,
  control: NewControl,
  now: Date,
): Promise<boolean> {
  return (await db.run(insert, { org_id, ...control, now })).length > 0
}

const LOCKED = {
  ...pick(STORED, 'control_id', 'tags', 'version'),
  ...DEFINITION,
  archived: computed(bool, 'c.archived_at is not null'),
}

const lock = defineStatement(
  'controls.lock',
  { org_id: uuid, identifier: text },
  LOCKED,
  `select ${toSelectList('c', LOCKED)} from controls c
   where c.org_id = :org_id and c.identifier = :identifier
   for update`,
)

export type LockedControl = RowOf<typeof lock>

/** Locks a control until the end of the transaction, archived or not. */
export async function lockControl(
  db: Db,
  org_id: string,
  identifier: string,
): Promise<LockedControl | undefined> {
  return (await db.run(lock, { org_id, identifier }))[0]
}

export const VERSION = { control_id: uuid, version: int, kind: text, ...DEFINITION, changed_by: text }

const change = defineStatement(
  'controls.change',
  { org_id: uuid, ...VERSION, now: time },
  {},
  `with changed as (
     update controls
     set ${toSetList(DEFINITION)}, version = :version, last_modified_at = :now,
       archived_at = case :kind::text when 'Archived' then :now::timestamptz when 'Unarchived' then null
                                      else archived_at end
     where org_id = :org_id and control_id = :control_id
   )
   insert into control_versions (org_id, ${toColumnList(VERSION)}, changed_at)
   values (:org_id, ${toValueList(VERSION)}, :now)`,
)

export interface NewVersion {
  control_id: string
  version: number
  kind: VersionKind
  definition: ControlDefinition
  changed_by: string
}

/** Adds the next version of a locked control; the kind determines whether that archives or unarchives it. */
export async function addVersion(
  db: Db,
  org_id: string,
  { definition, ...version }: NewVersion,
  now: Date,
): Promise<void> {
  await db.run(change, { org_id, ...version, ...definition, now })
}

const setTags = defineStatement(
  'controls.set_tags',
  { org_id: uuid, control_id: uuid, tags: json<Tags>(), now: time },
  {},
  `update controls set tags = :tags::jsonb, last_modified_at = :now
   where org_id = :org_id and control_id = :control_id`,
)

export async function setControlTags(
  db: Db,
  org_id: string,
  control_id: string,
  tags: Tags,
  now: Date,
): Promise<void> {
  await db.run(setTags, { org_id, control_id, tags, now })
}

const known = defineStatement(
  'controls.known',
  { org_id: uuid, identifiers: texts },
  { identifier: text },
  'select identifier from controls where org_id = :org_id and identifier = any (:identifiers::text[])',
)

/** The identifiers that belong to controls, archived or not. */
export async function listKnownControls(
  db: Db,
  org_id: string,
  identifiers: readonly string[],
): Promise<Set<string>> {
  const rows = await db.run(known, { org_id, identifiers: [...identifiers] })
  return new Set(rows.map(({ identifier }) => identifier))
}
