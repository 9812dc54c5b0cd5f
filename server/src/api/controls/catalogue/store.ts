// The statements that read and write a whole control catalogue, each in one statement for any number of controls.
import { computed, pick, toColumnList, toSelectList } from '../../../db/columns.ts'
import type { Database, Db } from '../../../db/database.ts'
import {
  bool,
  defineStatement,
  json,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../../db/statement.ts'
import type { VersionKind } from '../../../domain/control/change.ts'
import { DEFINITION, STORED, VERSION } from '../store.ts'

const CATALOGUE = {
  ...pick(STORED, 'control_id', 'identifier', 'tags', 'version', 'last_modified_at'),
  ...DEFINITION,
  archived: computed(bool, 'c.archived_at is not null'),
}

const read = defineStatement(
  'controls.catalogue',
  { org_id: uuid, with_archived: bool },
  CATALOGUE,
  `select ${toSelectList('c', CATALOGUE)} from controls c
   where c.org_id = :org_id and (:with_archived::boolean or c.archived_at is null)
   order by c.identifier`,
)

export type CatalogueRow = RowOf<typeof read>

/** Sorted by identifier. */
export function readCatalogue(
  db: Database,
  org_id: string,
  with_archived: boolean,
): Promise<readonly CatalogueRow[]> {
  return db.read({ org_id }, read, { org_id, with_archived })
}

const lock = defineStatement(
  'controls.lock_catalogue',
  { org_id: uuid },
  CATALOGUE,
  `select ${toSelectList('c', CATALOGUE)} from controls c where c.org_id = :org_id order by c.identifier for update`,
)

/** Locks all controls, archived ones too. Imports lock in the same order, so they cannot deadlock. */
export function lockCatalogue(db: Db, org_id: string): Promise<CatalogueRow[]> {
  return db.run(lock, { org_id })
}

const IMPORTED = { ...pick(STORED, 'control_id', 'identifier', 'tags', 'version'), ...DEFINITION }

interface ImportedControl extends Values<typeof IMPORTED> {
  archived: boolean
  is_new: boolean
}

const IMPORTED_RECORD = `control_id uuid, identifier text, tags jsonb, version int, name text, description text,
  links jsonb, archived boolean`

const insert = defineStatement(
  'controls.insert_many',
  { org_id: uuid, controls: json<readonly ImportedControl[]>(), created_by: text, now: time },
  {},
  `insert into controls (org_id, ${toColumnList(IMPORTED)}, created_by, created_at, last_modified_at, archived_at)
   select :org_id, ${toSelectList('i', IMPORTED)}, :created_by, :now, :now,
     case when i.archived then :now::timestamptz end
   from jsonb_to_recordset(:controls::jsonb) as i(${IMPORTED_RECORD})`,
)

const update = defineStatement(
  'controls.update_many',
  { org_id: uuid, controls: json<readonly ImportedControl[]>(), now: time },
  {},
  `update controls c
   set name = i.name, description = i.description, links = i.links, tags = i.tags, version = i.version,
     last_modified_at = :now,
     archived_at = case when i.archived then coalesce(c.archived_at, :now::timestamptz) end
   from jsonb_to_recordset(:controls::jsonb) as i(${IMPORTED_RECORD})
   where c.org_id = :org_id and c.control_id = i.control_id`,
)

const NEW_VERSION = { ...pick(VERSION, 'control_id', 'version', 'kind'), ...DEFINITION }

export interface ImportedVersion extends Values<typeof NEW_VERSION> {
  kind: VersionKind
}

const insertVersions = defineStatement(
  'controls.insert_versions',
  { org_id: uuid, versions: json<readonly ImportedVersion[]>(), changed_by: text, now: time },
  {},
  `insert into control_versions (org_id, ${toColumnList(NEW_VERSION)}, changed_by, changed_at)
   select :org_id, ${toSelectList('i', NEW_VERSION)}, :changed_by, :now
   from jsonb_to_recordset(:versions::jsonb) as i(control_id uuid, version int, kind text, name text, description text,
     links jsonb)`,
)

export interface CatalogueChanges {
  controls: readonly ImportedControl[]
  versions: readonly ImportedVersion[]
}

/** If another request created a control meanwhile, the insert fails and the transaction is retried. */
export async function storeCatalogue(
  db: Db,
  org_id: string,
  { controls, versions }: CatalogueChanges,
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  const created = controls.filter(({ is_new }) => is_new)
  const changed = controls.filter(({ is_new }) => !is_new)
  if (created.length > 0) await db.run(insert, { org_id, controls: created, created_by: actor, now })
  if (changed.length > 0) await db.run(update, { org_id, controls: changed, now })
  if (versions.length > 0) await db.run(insertVersions, { org_id, versions, changed_by: actor, now })
}
