// The queries of separation of duties: the groups of a person, and the names under which they report.
import type { Database } from '../../db/database.ts'
import { defineStatement, nullable, text, texts, uuid } from '../../db/statement.ts'

const groups = defineStatement(
  'duties.groups',
  { org_id: uuid, user_id: uuid },
  { name: text },
  `select g.display_name as name from scim_users s
   join scim_group_members m on m.org_id = s.org_id and m.scim_id = s.scim_id
   join scim_groups g on g.org_id = m.org_id and g.group_id = m.group_id
   where s.org_id = :org_id and s.user_id = :user_id and s.active`,
)

/** The SCIM groups of a person in the organization. */
export async function listGroups(db: Database, org_id: string, user_id: string): Promise<string[]> {
  return (await db.read({ org_id }, groups, { org_id, user_id })).map(({ name }) => name)
}

const accounts = defineStatement(
  'duties.accounts_of',
  { org_id: uuid, user_id: uuid },
  { name: text },
  'select name from service_accounts where org_id = :org_id and owner_user_id = :user_id',
)

/** The service accounts that a person owns: reports made by those count as the person's own work. */
export async function listOwnedAccounts(db: Database, org_id: string, user_id: string): Promise<string[]> {
  return (await db.read({ org_id }, accounts, { org_id, user_id })).map(({ name }) => name)
}

const overridden = defineStatement(
  'duties.overridden',
  { org_id: uuid, flow_name: text, trail_name: text, attestation_name: text, own_names: texts },
  { flow_id: nullable(uuid), trail_id: nullable(uuid), own_work_of: nullable(text) },
  `select f.flow_id, t.trail_id, (
     select w.reported_by from attestations w
     where w.org_id = :org_id and w.trail_id = t.trail_id and w.attestation_name = :attestation_name
       and w.reported_by = any (:own_names::text[]) and (w.target_artifacts <> '{}' or exists (
         select from evidence_slots s where s.org_id = :org_id and s.trail_id = t.trail_id
           and s.attestation_name = :attestation_name
           and w.attestation_id in (s.attestation_id, s.overridden_attestation_id)))
     limit 1) as own_work_of
   from (select flow_named(:org_id, :flow_name) as flow_id) f
   left join trails t on t.org_id = :org_id and t.flow_id = f.flow_id and t.name = :trail_name`,
)

/** The flow and trail that an override applies to, and which of `own_names` reported the attestation. */
export async function findOverridden(
  db: Database,
  org_id: string,
  filter: { flow_name: string; trail_name: string; attestation_name: string; own_names: string[] },
) {
  const [found] = await db.runOnce({ org_id }, overridden, { org_id, ...filter })
  return found ?? { flow_id: null, trail_id: null, own_work_of: null }
}
