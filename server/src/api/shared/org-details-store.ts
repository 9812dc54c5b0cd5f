// The statements that read and lock the name, features and settings of an org.
import { toColumnList } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { defineStatement, json, type RowOf, text, time, uuid } from '../../db/statement.ts'
import type { Features } from '../../domain/features.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'

const DETAILS = {
  name: text,
  kind: text,
  description: text,
  features: json<Features>(),
  settings: json<OrgSettings>(),
  created_at: time,
}

const details = defineStatement(
  'orgs.details',
  { org_id: uuid },
  DETAILS,
  `select ${toColumnList(DETAILS)} from orgs
   where org_id = :org_id and delete_requested_at is null`,
)

export type OrgDetails = RowOf<typeof details>

/** Undefined while the org waits to be deleted, too. */
export async function findOrgDetails(db: Db, org_id: string): Promise<OrgDetails | undefined> {
  return (await db.run(details, { org_id }))[0]
}

const lockDetails = defineStatement(
  'orgs.lock_details',
  { org_id: uuid },
  DETAILS,
  `select ${toColumnList(DETAILS)} from orgs
   where org_id = :org_id and delete_requested_at is null for no key update`,
)

export async function lockOrgDetails(db: Db, org_id: string): Promise<OrgDetails | undefined> {
  return (await db.run(lockDetails, { org_id }))[0]
}
