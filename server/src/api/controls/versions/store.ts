// The statements that read the versions of a control.
import { toSelectList } from '../../../db/columns.ts'
import type { Database, Db } from '../../../db/database.ts'
import { bool, count, defineStatement, int, type RowOf, text, time, uuid } from '../../../db/statement.ts'
import { DEFINITION } from '../store.ts'

const VERSION = { version: int, kind: text, ...DEFINITION, changed_by: text, changed_at: time }

const latest = defineStatement(
  'controls.latest_version',
  { org_id: uuid, identifier: text },
  { control_id: uuid, version: int },
  'select control_id, version from controls where org_id = :org_id and identifier = :identifier',
)

const range = defineStatement(
  'controls.versions_in_range',
  { org_id: uuid, control_id: uuid, from_version: count, to_version: count },
  VERSION,
  `select ${toSelectList('v', VERSION)} from control_versions v
   where v.org_id = :org_id and v.control_id = :control_id
     and v.version between :from_version::bigint and :to_version::bigint
   order by v.version desc`,
)

export type VersionRow = RowOf<typeof range>

/** Versions are numbered without gaps, so a page is a range of numbers. Undefined when the control does not exist. */
export async function listVersions(
  db: Db,
  org_id: string,
  identifier: string,
  { limit, offset, direction }: { limit: number; offset: number; direction: 'asc' | 'desc' },
): Promise<{ rows: VersionRow[]; total: number } | undefined> {
  const [control] = await db.run(latest, { org_id, identifier })
  if (!control) return undefined
  const { control_id, version: total } = control
  const is_rising = direction === 'asc'
  const from_version = is_rising ? offset + 1 : total - offset - limit + 1
  const rows = await db.run(range, { org_id, control_id, from_version, to_version: from_version + limit - 1 })
  return { rows: is_rising ? rows.reverse() : rows, total }
}

const find = defineStatement(
  'controls.find_version',
  { org_id: uuid, identifier: text, version: count },
  { ...VERSION, is_requested: bool },
  `select ${toSelectList('v', VERSION)}, v.version = :version::bigint as is_requested
   from controls c
   join control_versions v on v.org_id = c.org_id and v.control_id = c.control_id
     -- If that version does not exist, the first one shows that the control does.
     and v.version in (1, :version::bigint)
   where c.org_id = :org_id and c.identifier = :identifier
   order by v.version = :version::bigint desc
   limit 1`,
)

/** Undefined when the control does not exist; `found` is undefined when only the version does not. */
export async function findControlVersion(
  db: Database,
  org_id: string,
  filter: { identifier: string; version: number },
): Promise<{ found: VersionRow | undefined } | undefined> {
  const [row] = await db.read({ org_id }, find, { org_id, ...filter })
  return row && { found: row.is_requested ? row : undefined }
}
