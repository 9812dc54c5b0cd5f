// The statements that read the organizations of a person with the states of their environments.
import type { Database } from '../../db/database.ts'
import {
  count,
  defineStatement,
  json,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'
import type { OrgSettings } from '../../domain/org-settings.ts'

const withSettings = defineStatement(
  'orgs.of_user_with_settings',
  { user_id: uuid },
  { org_id: uuid, name: text, kind: text, role: text, settings: json<OrgSettings>() },
  `select o.org_id, o.name, o.kind, m.role, o.settings from memberships m join orgs o on o.org_id = m.org_id
   where m.user_id = :user_id and o.delete_requested_at is null
   order by o.name`,
)

export type EnterableOrg = RowOf<typeof withSettings>

export function listOrgsWithSettings(db: Database, user_id: string): Promise<readonly EnterableOrg[]> {
  return db.read({ user_id }, withSettings, { user_id })
}

const states = defineStatement(
  'orgs.states',
  { org_ids: uuids, now: time },
  {
    org_id: uuid,
    compliant: count,
    non_compliant: count,
    unknown: count,
    stale: count,
    logged_ms: nullable(count),
  },
  `select s.org_id, s.compliant, s.non_compliant, s.unknown, s.stale, s.logged_ms
   from states_of_own_orgs(:org_ids::uuid[], :now) s`,
  readsWholeOrg('counts the environments of the organizations by state'),
)

export type OrgStateRow = RowOf<typeof states>

/** Returns only organizations that the person belongs to, whatever ids are given. */
export function listOrgStates(
  db: Database,
  user_id: string,
  wanted: { org_ids: string[]; now: Date },
): Promise<readonly OrgStateRow[]> {
  return db.read({ user_id }, states, wanted)
}
