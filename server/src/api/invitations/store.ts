// Every statement about invitations. Only the hash of the token in the mail is stored.
import { toColumnList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { bool, defineStatement, nullable, type RowOf, text, texts, time, uuid } from '../../db/statement.ts'

const INVITATION = {
  invitation_id: uuid,
  email: text,
  role: text,
  invited_by: text,
  created_at: time,
  sent_at: time,
  expires_at: time,
  /** What became of the newest mail; null while it waits. */
  mail: nullable(text),
}

const withdrawExpired = defineStatement(
  'invitations.withdraw_expired',
  { org_id: uuid, email: text, now: time },
  {},
  `update invitations set withdrawn_at = :now
   where org_id = :org_id and email_key = lower(:email) and accepted_at is null and withdrawn_at is null
     and expires_at <= :now`,
)

/** Withdraws an expired invitation, so that the address can be invited again. */
export async function withdrawExpiredInvitation(
  db: Db,
  org_id: string,
  { email, now }: { email: string; now: Date },
): Promise<void> {
  await db.run(withdrawExpired, { org_id, email, now })
}

const insert = defineStatement(
  'invitations.insert_or_keep',
  {
    org_id: uuid,
    invitation_id: uuid,
    email: text,
    role: text,
    scim_id: nullable(uuid),
    token_hash: text,
    invited_by: text,
    now: time,
    expires_at: time,
  },
  { invitation_id: uuid },
  `insert into invitations (org_id, invitation_id, email, role, scim_id, token_hash, invited_by, created_at, sent_at,
                            expires_at)
   values (:org_id, :invitation_id, :email, :role, :scim_id, decode(:token_hash, 'hex'), :invited_by, :now, :now,
           :expires_at)
   on conflict (org_id, email_key) where accepted_at is null and withdrawn_at is null do nothing
   returning invitation_id`,
)

export interface NewInvitation {
  invitation_id: string
  email: string
  role: string
  scim_id: string | null
  token_hash: string
  invited_by: string
  now: Date
  expires_at: Date
}

/** Returns false if the address has an open invitation. */
export async function insertInvitation(db: Db, org_id: string, invitation: NewInvitation): Promise<boolean> {
  return (await db.run(insert, { org_id, ...invitation })).length > 0
}

const memberWithEmail = defineStatement(
  'invitations.member_with_email',
  { org_id: uuid, email: text },
  { user_id: uuid },
  `select u.user_id from users u
   join memberships m on m.org_id = :org_id and m.user_id = u.user_id
   where u.email_key = lower(:email)`,
)

export async function isMemberEmail(db: Db, org_id: string, email: string): Promise<boolean> {
  return (await db.run(memberWithEmail, { org_id, email })).length > 0
}

const list = defineStatement(
  'invitations.list',
  { org_id: uuid },
  INVITATION,
  `select ${toColumnList(INVITATION)} from invitations
   where org_id = :org_id and accepted_at is null and withdrawn_at is null
   order by email_key`,
)

export type InvitationRow = RowOf<typeof list>

/** Open means neither accepted nor withdrawn; includes expired ones. */
export function listOpenInvitations(db: Database, org_id: string): Promise<InvitationRow[]> {
  return db.runOnce({ org_id }, list, { org_id })
}

const findOpen = defineStatement(
  'invitations.open_for',
  { org_id: uuid, email: text },
  INVITATION,
  `select ${toColumnList(INVITATION)} from invitations
   where org_id = :org_id and email_key = lower(:email) and accepted_at is null and withdrawn_at is null`,
)

export async function findOpenInvitation(
  db: Db,
  org_id: string,
  email: string,
): Promise<InvitationRow | undefined> {
  return (await db.run(findOpen, { org_id, email }))[0]
}

const lockOpen = defineStatement(
  'invitations.lock_open',
  { org_id: uuid, invitation_id: uuid },
  INVITATION,
  `select ${toColumnList(INVITATION)} from invitations
   where org_id = :org_id and invitation_id = :invitation_id and accepted_at is null and withdrawn_at is null
   for no key update`,
)

export async function lockOpenInvitation(
  db: Db,
  org_id: string,
  invitation_id: string,
): Promise<InvitationRow | undefined> {
  return (await db.run(lockOpen, { org_id, invitation_id }))[0]
}

const renew = defineStatement(
  'invitations.renew',
  { org_id: uuid, invitation_id: uuid, token_hash: text, now: time, expires_at: time },
  {},
  `update invitations set token_hash = decode(:token_hash, 'hex'), sent_at = :now, expires_at = :expires_at, mail = null
   where org_id = :org_id and invitation_id = :invitation_id`,
)

/** Replaces the token, so that the previous mail stops working. */
export async function renewInvitation(
  db: Db,
  org_id: string,
  renewal: { invitation_id: string; token_hash: string; now: Date; expires_at: Date },
): Promise<void> {
  await db.run(renew, { org_id, ...renewal })
}

const saveMail = defineStatement(
  'invitations.save_mail',
  { org_id: uuid, invitation_id: uuid, mail: text },
  {},
  'update invitations set mail = :mail where org_id = :org_id and invitation_id = :invitation_id',
)

/** Stores what became of the mail. */
export async function saveInvitationMail(
  db: Database,
  org_id: string,
  invitation_id: string,
  mail: string,
): Promise<void> {
  await db.runOnce({ org_id }, saveMail, { org_id, invitation_id, mail })
}

const withdraw = defineStatement(
  'invitations.withdraw',
  { org_id: uuid, invitation_id: uuid, now: time },
  {},
  'update invitations set withdrawn_at = :now where org_id = :org_id and invitation_id = :invitation_id',
)

export async function withdrawInvitation(
  db: Db,
  org_id: string,
  { invitation_id, now }: { invitation_id: string; now: Date },
): Promise<void> {
  await db.run(withdraw, { org_id, invitation_id, now })
}

const withdrawByScimId = defineStatement(
  'invitations.withdraw_of_provisioned',
  { org_id: uuid, scim_id: uuid, now: time },
  {},
  `update invitations set withdrawn_at = :now
   where org_id = :org_id and scim_id = :scim_id and accepted_at is null and withdrawn_at is null`,
)

export async function withdrawInvitationByScimId(
  db: Db,
  org_id: string,
  filter: { scim_id: string; now: Date },
): Promise<void> {
  await db.run(withdrawByScimId, { org_id, ...filter })
}

const orgOfToken = defineStatement(
  'invitations.org_of_token',
  { token_hash: text },
  { org_id: uuid },
  `select org_id from invitations where token_hash = decode(:token_hash, 'hex')`,
)

/** Row-level security admits the row by its token hash, because no organization is known yet. */
export async function findOrgOfToken(db: Database, token_hash: string): Promise<string | undefined> {
  return (await db.runOnce({ key_hash: token_hash }, orgOfToken, { token_hash }))[0]?.org_id
}

const lockByToken = defineStatement(
  'invitations.lock_by_token',
  { org_id: uuid, token_hash: text, now: time },
  { invitation_id: uuid, email: text, role: text, is_from_directory: bool, is_open: bool },
  `select invitation_id, email, role, scim_id is not null as is_from_directory, accepted_at is null and withdrawn_at is null and expires_at > :now as is_open
   from invitations where org_id = :org_id and token_hash = decode(:token_hash, 'hex')
   for no key update`,
)

/** A second request waits for the lock and then finds the invitation accepted. */
export async function lockInvitationByToken(
  db: Db,
  org_id: string,
  { token_hash, now }: { token_hash: string; now: Date },
): Promise<RowOf<typeof lockByToken> | undefined> {
  return (await db.run(lockByToken, { org_id, token_hash, now }))[0]
}

const accept = defineStatement(
  'invitations.accept',
  { org_id: uuid, invitation_id: uuid, user_id: uuid, now: time },
  {},
  `update invitations set accepted_at = :now, accepted_by = :user_id
   where org_id = :org_id and invitation_id = :invitation_id`,
)

export async function markAccepted(
  db: Db,
  org_id: string,
  acceptance: { invitation_id: string; user_id: string; now: Date },
): Promise<void> {
  await db.run(accept, { org_id, ...acceptance })
}

const lockAccepting = defineStatement(
  'invitations.lock_accepting',
  { user_id: uuid },
  { email: nullable(text), is_deactivated: bool },
  `select email, deactivated_at is not null as is_deactivated from users where user_id = :user_id
   for no key update`,
)

/** Locks the person who accepts, so that their address cannot change meanwhile. Needs their own scope or `signin`. */
export async function lockAcceptingPerson(
  db: Db,
  user_id: string,
): Promise<RowOf<typeof lockAccepting> | undefined> {
  return (await db.run(lockAccepting, { user_id }))[0]
}

const link = defineStatement(
  'invitations.link_provisioned',
  { org_id: uuid, user_id: uuid, email: text },
  { group_roles: texts, default_role: nullable(text) },
  `update scim_users s set user_id = :user_id
   where s.org_id = :org_id and s.email_key = lower(:email) and s.user_id is null and s.active
     and not exists (select from scim_users o where o.org_id = :org_id and o.user_id = :user_id)
   returning
     array(
       select distinct g.role from scim_group_members gm
       join scim_groups g on g.org_id = gm.org_id and g.group_id = gm.group_id
       where gm.org_id = :org_id and gm.scim_id = s.scim_id and g.role is not null
     ) as group_roles,
     (select o.settings ->> 'default_role' from orgs o where o.org_id = :org_id) as default_role`,
)

/** Links the person to the SCIM user with their address, and returns what determines their role. */
export async function linkProvisioned(
  db: Db,
  org_id: string,
  person: { user_id: string; email: string },
): Promise<RowOf<typeof link> | undefined> {
  return (await db.run(link, { org_id, ...person }))[0]
}

const role = defineStatement(
  'invitations.role',
  { org_id: uuid, user_id: uuid },
  { role: text },
  'select role from memberships where org_id = :org_id and user_id = :user_id',
)

export async function findRole(db: Db, org_id: string, user_id: string): Promise<string | undefined> {
  return (await db.run(role, { org_id, user_id }))[0]?.role
}
