// The statements about a person's own name and mail address, and the proofs of new addresses. Those about addresses run in
// the scope of sign-in, because an address may belong to another account.
import { computeFirst } from '../../db/compute-first.ts'
import type { Database, Db } from '../../db/database.ts'
import { bool, count, defineStatement, nullable, type RowOf, text, time, uuid } from '../../db/statement.ts'

// A directory finds people by their address, so the domain that an organization has proved manages it.
const ADDRESS = {
  email: nullable(text),
  has_identity: bool,
  is_proved: bool,
  is_in_directory: bool,
}

const ADDRESS_OF_USER = `
  u.email,
  exists (select from identities i where i.user_id = u.user_id) as has_identity,
  u.email_proved_at is not null as is_proved,
  exists (
    select from memberships m join mail_domains d on d.org_id = m.org_id
    where m.user_id = u.user_id and d.proved_at is not null
      and d.domain = ${computeFirst("split_part(u.email_key, '@', 2)")}
  ) as is_in_directory`

const profile = defineStatement(
  'users.profile',
  { user_id: uuid, now: time },
  {
    name: text,
    display_name: nullable(text),
    ...ADDRESS,
    pending_email: nullable(text),
    pending_expires_at: nullable(time),
  },
  `select u.name, u.display_name, ${ADDRESS_OF_USER},
     p.email as pending_email, p.expires_at as pending_expires_at
   from users u left join lateral (
     select a.email, a.expires_at from address_proofs a
     where a.user_id = u.user_id and a.ended_at is null and a.expires_at > :now
     order by a.created_at desc limit 1
   ) p on true
   where u.user_id = :user_id`,
)

export type ProfileRow = RowOf<typeof profile>

export async function findProfile(
  db: Database,
  of: { user_id: string; now: Date },
): Promise<ProfileRow | undefined> {
  return (await db.runOnce({ signin: true }, profile, of))[0]
}

const address = defineStatement(
  'users.address',
  { user_id: uuid },
  ADDRESS,
  `select ${ADDRESS_OF_USER} from users u where u.user_id = :user_id`,
)

export type AddressRow = RowOf<typeof address>

/** Lock the person first. */
export async function findAddress(db: Db, user_id: string): Promise<AddressRow | undefined> {
  return (await db.run(address, { user_id }))[0]
}

const setName = defineStatement(
  'users.set_display_name',
  { user_id: uuid, display_name: nullable(text) },
  { is_changed: bool },
  `update users set display_name = :display_name
   where user_id = :user_id and display_name is distinct from :display_name
   returning true as is_changed`,
)

/** False if that was the name before. */
export async function setDisplayName(
  db: Db,
  to: { user_id: string; display_name: string | null },
): Promise<boolean> {
  return (await db.run(setName, to)).length > 0
}

const asked = defineStatement(
  'users.count_proofs',
  { user_id: uuid, email: text, since: time },
  { by_person: count, to_address: count },
  `select
     (select count(*) from address_proofs p where p.user_id = :user_id and p.created_at > :since) as by_person,
     (select count(*) from address_proofs p where p.email_key = lower(:email) and p.created_at > :since) as to_address`,
)

export interface ProofCounts {
  by_person: number
  to_address: number
}

export async function countProofs(
  db: Db,
  of: { user_id: string; email: string; since: Date },
): Promise<ProofCounts> {
  return (await db.run(asked, of))[0] ?? { by_person: 0, to_address: 0 }
}

const insert = defineStatement(
  'users.insert_proof',
  { token_hash: text, user_id: uuid, email: text, now: time, expires_at: time },
  {},
  `with earlier as (
     update address_proofs set ended_at = :now where user_id = :user_id and ended_at is null
   )
   insert into address_proofs (token_hash, user_id, email, created_at, expires_at)
   values (decode(:token_hash, 'hex'), :user_id, :email, :now, :expires_at)`,
)

export interface NewProof {
  token_hash: string
  user_id: string
  email: string
  now: Date
  expires_at: Date
}

/** Ends the person's earlier proofs, so that only the latest link works. */
export async function saveProof(db: Db, proof: NewProof): Promise<void> {
  await db.run(insert, { ...proof })
}

const take = defineStatement(
  'users.take_proof',
  { token_hash: text, user_id: uuid, now: time },
  { email: text },
  `update address_proofs set ended_at = :now
   where token_hash = decode(:token_hash, 'hex') and user_id = :user_id and ended_at is null and expires_at > :now
   returning email`,
)

/** The proved address, once; undefined if the link is unknown, used, expired or another person's. */
export async function takeProof(
  db: Db,
  proof: { token_hash: string; user_id: string; now: Date },
): Promise<string | undefined> {
  return (await db.run(take, proof))[0]?.email
}

const setProved = defineStatement(
  'users.set_proved_email',
  { user_id: uuid, email: text, now: time },
  { is_changed: bool },
  `update users u set email = :email, email_proved_at = :now
   where u.user_id = :user_id
     and not exists (select from users o where o.email_key = lower(:email) and o.user_id <> :user_id)
   returning true as is_changed`,
)

/** False if another account has the address. If two transactions race for it, the second is retried and finds the first. */
export async function setProvedEmail(
  db: Db,
  to: { user_id: string; email: string; now: Date },
): Promise<boolean> {
  return (await db.run(setProved, to)).length > 0
}
