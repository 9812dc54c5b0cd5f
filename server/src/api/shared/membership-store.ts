// Statements that change memberships: the lock that serializes the changes of an org, the membership itself and its
// numbered history.
import { computeFirst } from '../../db/compute-first.ts'
import type { Db } from '../../db/database.ts'
import { bool, defineStatement, int, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'

/** How many days the keys of service accounts keep working after their owner leaves, unless the org sets it. */
export const DEFAULT_LEAVER_GRACE_DAYS = 7

const lock = defineStatement(
  'membership.lock_org',
  { org_id: uuid },
  { name: text, kind: text },
  // Blocks other membership changes, but not inserts of rows that refer to the org.
  'select name, kind from orgs where org_id = :org_id for no key update',
)

/** Until the end of the transaction, nobody else can change a membership of the org. */
export async function lockMembers(
  db: Db,
  org_id: string,
): Promise<{ name: string; kind: string } | undefined> {
  return (await db.run(lock, { org_id }))[0]
}

const find = defineStatement(
  'membership.find',
  { org_id: uuid, user_id: uuid },
  { role: nullable(text), has_other_admin: bool },
  `select
     (select m.role from memberships m where m.org_id = :org_id and m.user_id = :user_id) as role,
     exists (
       select from memberships m join users u on u.user_id = m.user_id
       where m.org_id = :org_id and m.role = 'admin' and m.user_id <> :user_id and u.deactivated_at is null
     ) as has_other_admin`,
)

export type MembershipBefore = RowOf<typeof find>

/** The current role of a user, and whether the org has another admin. Call it after `lockMembers`. */
export async function findMembership(db: Db, org_id: string, user_id: string): Promise<MembershipBefore> {
  const [found] = await db.run(find, { org_id, user_id })
  return found ?? { role: null, has_other_admin: false }
}

const save = defineStatement(
  'membership.save',
  { org_id: uuid, user_id: uuid, role: text, now: time },
  {},
  `insert into memberships (org_id, user_id, role, created_at) values (:org_id, :user_id, :role, :now)
   on conflict (org_id, user_id) do update set role = excluded.role`,
)

export async function saveMembership(
  db: Db,
  org_id: string,
  member: { user_id: string; role: string; now: Date },
): Promise<void> {
  await db.run(save, { org_id, ...member })
}

const remove = defineStatement(
  'membership.remove',
  { org_id: uuid, user_id: uuid },
  {},
  'delete from memberships where org_id = :org_id and user_id = :user_id',
)

export async function deleteMembership(db: Db, org_id: string, user_id: string): Promise<void> {
  await db.run(remove, { org_id, user_id })
}

/** The display name from SCIM takes precedence. */
const selectDisplayName = (user_id: string) => `coalesce(
       (select nullif(s.display_name, '') from scim_users s where s.org_id = :org_id and s.user_id = ${user_id}),
       (select nullif(u.display_name, '') from users u where u.user_id = ${user_id}))`

const insertEvent = defineStatement(
  'membership.append_event',
  {
    org_id: uuid,
    event_id: uuid,
    kind: text,
    user_id: uuid,
    user_name: text,
    actor: text,
    actor_id: nullable(uuid),
    role: nullable(text),
    previous_role: nullable(text),
    source: text,
    now: time,
  },
  { event_no: int },
  `with numbered as (
     update orgs set membership_events = membership_events + 1 where org_id = :org_id
     returning membership_events as event_no
   )
   insert into membership_events (org_id, event_no, event_id, kind, user_id, user_name, changed_by, role, previous_role,
                                  source, created_at)
   select :org_id, n.event_no, :event_id, :kind, :user_id,
     coalesce(${selectDisplayName(':user_id')}, :user_name), coalesce(${selectDisplayName(':actor_id')}, :actor),
     :role, :previous_role, :source,
     -- Server clocks differ, but times in the history must never decrease.
     greatest(:now, (select e.created_at from membership_events e
       where e.org_id = :org_id and e.event_no = ${computeFirst('n.event_no - 1')}))
   from numbered n
   returning event_no`,
)

export interface NewMembershipEvent {
  event_id: string
  kind: 'added' | 'changed' | 'removed'
  user_id: string
  /** Login names, shown if there is no display name. */
  user_name: string
  actor: string
  /** Null unless the actor is a person. */
  actor_id: string | null
  role: string | null
  previous_role: string | null
  source: string
  now: Date
}

/** Call it while the user is a member: only then can the org read their display name. */
export async function insertMembershipEvent(
  db: Db,
  org_id: string,
  event: NewMembershipEvent,
): Promise<void> {
  await db.run(insertEvent, { org_id, ...event })
}

const stopKeys = defineStatement(
  'membership.stop_keys_of_accounts',
  { org_id: uuid, user_id: uuid, role: nullable(text), now: time, default_days: int },
  { service_account_id: uuid, service_account: text, keys_stop_at: nullable(time), is_news: bool },
  `with owned as (
     select service_account_id, keys_stop_at, owner_left_as from service_accounts
     where org_id = :org_id and owner_user_id = :user_id and deleted_at is null for update
   )
   update service_accounts a
   set owner_left_as = coalesce(:role, a.owner_left_as),
     keys_stop_at = coalesce(o.keys_stop_at, :now::timestamptz + make_interval(
       days => coalesce((select (o.settings ->> 'leaver_grace_days')::int from orgs o where o.org_id = :org_id), :default_days::int)))
   from owned o
   where a.org_id = :org_id and a.service_account_id = o.service_account_id
   returning a.service_account_id, a.name as service_account, a.keys_stop_at,
     o.keys_stop_at is null or a.owner_left_as is distinct from o.owner_left_as as is_news`,
)

/**
 * Schedules the keys of the user's service accounts to stop after the grace period of the org. `role` is what the user
 * was in the org until now; null if they still are.
 */
export async function stopKeysOfAccounts(
  db: Db,
  org_id: string,
  owner: { user_id: string; role: string | null; now: Date },
): Promise<RowOf<typeof stopKeys>[]> {
  const rows = await db.run(stopKeys, { org_id, ...owner, default_days: DEFAULT_LEAVER_GRACE_DAYS })
  return rows.filter(({ is_news }) => is_news)
}

const resumeKeys = defineStatement(
  'membership.resume_keys_of_accounts',
  { org_id: uuid, user_id: uuid },
  { service_account_id: uuid, service_account: text, stopped_at: nullable(time) },
  `with stopped as (
     select a.service_account_id, a.keys_stop_at from service_accounts a
     join memberships m on m.org_id = a.org_id and m.user_id = a.owner_user_id
     join users u on u.user_id = m.user_id and u.deactivated_at is null
     where a.org_id = :org_id and a.owner_user_id = :user_id and a.deleted_at is null and a.keys_stop_at is not null
     for update of a
   )
   update service_accounts a set keys_stop_at = null from stopped s
   where a.org_id = :org_id and a.service_account_id = s.service_account_id
   returning a.service_account_id, a.name as service_account, s.keys_stop_at as stopped_at`,
)

export type ResumedAccount = RowOf<typeof resumeKeys>

/**
 * The keys of the user's service accounts work again if the user is an active member of the org, also those that have
 * stopped: none was revoked. Returns the times at which they stopped or would have.
 */
export function resumeKeysOfAccounts(db: Db, org_id: string, user_id: string): Promise<ResumedAccount[]> {
  return db.run(resumeKeys, { org_id, user_id })
}
