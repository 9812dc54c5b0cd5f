// The queries of separation of duties: the groups of a person, who stands behind which name, and whose work it is.
import type { Database, Db } from '../../db/database.ts'
import { bool, defineStatement, nullable, readsWholeOrg, text, texts, uuid } from '../../db/statement.ts'
import type { AccountHands } from '../../domain/standing-behind.ts'

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
  'duties.account_hands',
  { org_id: uuid },
  { name: text, owner_name: nullable(text), key_makers: texts },
  `select a.name, a.owner_name, array(
     select distinct k.created_by from service_account_keys k
     where k.org_id = a.org_id and k.service_account_id = a.service_account_id) as key_makers
   from service_accounts a where a.org_id = :org_id`,
  readsWholeOrg('whoever made a key of one account may stand behind another one through it'),
)

/** Every service account there ever was, with its owner and the makers of its keys. */
export async function listAccountHands(db: Database, org_id: string): Promise<readonly AccountHands[]> {
  return db.read({ org_id }, accounts, { org_id })
}

const isThere = (place: string): string =>
  `(:environment_id::uuid is null or ${place}.environment_id = :environment_id)`

// A policy that was ever there counts: whoever detaches one could otherwise decide alone and attach it again.
const behindPolicy = defineStatement(
  'duties.behind_policy',
  { org_id: uuid, environment_id: nullable(uuid), own_names: texts },
  { is_behind: bool },
  `select exists (
     select from policies p
     where p.org_id = :org_id and (exists (
       select from environment_policies a
       where a.org_id = p.org_id and a.policy_id = p.policy_id and ${isThere('a')}
     ) or exists (
       select from events e
       where e.org_id = p.org_id and e.policy_id = p.policy_id and e.kind in ('policy_attached', 'policy_detached')
         and ${isThere('e')}
     )) and (exists (
       select from policy_versions v
       where v.org_id = p.org_id and v.policy_id = p.policy_id and v.created_by = any (:own_names::text[])
     ) or exists (
       select from environment_policies a
       where a.org_id = p.org_id and a.policy_id = p.policy_id and ${isThere('a')}
         and a.attached_by = any (:own_names::text[])
     ) or exists (
       select from events e
       where e.org_id = p.org_id and e.policy_id = p.policy_id and e.actor = any (:own_names::text[])
         and (e.environment_id is null or ${isThere('e')})
     ))
   ) as is_behind`,
  readsWholeOrg('without an environment, every policy that was ever attached counts'),
)

/**
 * Whether one of the names wrote, archived, attached or detached a policy that is or was attached to the environment, or
 * to any if it is null.
 */
export async function isBehindPolicy(
  tx: Db,
  org_id: string,
  filter: { environment_id: string | null; own_names: string[] },
): Promise<boolean> {
  return (await tx.run(behindPolicy, { org_id, ...filter }))[0]?.is_behind === true
}

const artifactReporter = defineStatement(
  'duties.artifact_reporter',
  { org_id: uuid, flow_id: uuid, fingerprint: text, own_names: texts },
  { reported_by: text },
  `select r.reported_by from artifacts a
   join artifact_reports r on r.org_id = a.org_id and r.artifact_id = a.artifact_id
   where a.org_id = :org_id and a.flow_id = :flow_id and a.fingerprint = :fingerprint
     and r.reported_by = any (:own_names::text[])
   order by r.report_id desc limit 1`,
)

/** Which of the names has reported the artifact in the flow; undefined if none has. */
export async function findOwnReporter(
  tx: Db,
  org_id: string,
  filter: { flow_id: string; fingerprint: string; own_names: string[] },
): Promise<string | undefined> {
  return (await tx.run(artifactReporter, { org_id, ...filter }))[0]?.reported_by
}
