// The statements that find and change who stands behind an organization (domain/sponsor.ts). Those about a person run
// in the scope of sign-in, which sees the mail domains of every organization.
import type { Db } from '../../db/database.ts'
import { count, defineStatement, nullable, type RowOf, text, uuid } from '../../db/statement.ts'
import { PERSON, toPerson } from '../../domain/sponsor.ts'

const ofPerson = defineStatement(
  'sponsors.of_person',
  { user_id: uuid },
  { sponsor: nullable(text), email: nullable(text) },
  `select u.email, (
     select o.sponsor from memberships m join orgs o on o.org_id = m.org_id
     where m.user_id = :user_id and o.kind = 'personal'
     order by o.org_id limit 1) as sponsor
   from users u where u.user_id = :user_id`,
)

/** The sponsor of the personal organization; null for a person without one. */
export async function findPersonWithSponsor(
  db: Db,
  user_id: string,
): Promise<RowOf<typeof ofPerson> | undefined> {
  return (await db.run(ofPerson, { user_id }))[0]
}

const provedDomain = defineStatement(
  'sponsors.proved_domain',
  { domain: text },
  { domain: text },
  'select domain from mail_domains where domain = :domain and proved_at is not null',
)

/** Whether any organization has proved the mail domain. */
export async function isProvedDomain(db: Db, domain: string): Promise<boolean> {
  return (await db.run(provedDomain, { domain })).length > 0
}

const handOver = defineStatement(
  'sponsors.hand_over',
  { org_id: uuid, leaver: text },
  {},
  `update orgs set sponsor = coalesce((
     select '${PERSON}' || m.user_id from memberships m join users u on u.user_id = m.user_id
     where m.org_id = :org_id and m.role = 'admin' and u.deactivated_at is null
     order by m.created_at, m.user_id limit 1), sponsor)
   where org_id = :org_id and sponsor = :leaver`,
)

/** If the person who has left stood behind the organization, whoever has been an admin longest does from now on. */
export async function handOverSponsorship(db: Db, org_id: string, user_id: string): Promise<void> {
  await db.run(handOver, { org_id, leaver: toPerson(user_id) })
}

const insertOpener = defineStatement(
  'sponsors.save_opener',
  { org_id: uuid, user_id: uuid },
  {},
  'insert into org_openers (org_id, user_id) values (:org_id, :user_id)',
)

export async function saveOpener(db: Db, org_id: string, user_id: string): Promise<void> {
  await db.run(insertOpener, { org_id, user_id })
}

const countOpened = defineStatement(
  'sponsors.count_opened',
  { user_id: uuid },
  { opened: count },
  'select count(*) as opened from org_openers where user_id = :user_id',
)

/** How many organizations the person opened that still exist. Lock the person first. */
export async function countOpenedOrgs(db: Db, user_id: string): Promise<number> {
  return (await db.run(countOpened, { user_id }))[0]?.opened ?? 0
}
