// The statements about recipients of mail: how much organizations sent them, what is held back for their digest, and
// whether they stopped it. Row-level security shows all of them to the worker, and to others the one whose hash they
// present.
import type { Database, Db } from '../db/database.ts'
import { bool, defineStatement, int, nullable, type RowOf, text, texts, time, uuid } from '../db/statement.ts'

/** A recipient's counts begin again a day after they began; then the digest is due. */
const DAY = "interval '1 day'"
const HASH = "decode(:address_hash, 'hex')"

const countStatement = defineStatement(
  'mail_recipients.count',
  { org_id: uuid, address_hash: text, email: text, now: time },
  { is_stopped: bool, is_member: bool, sent: int },
  `with member as materialized (
     select exists (
       select from users u join memberships m on m.user_id = u.user_id
       where u.email_key = lower(:email) and m.org_id = :org_id and u.deactivated_at is null
     ) as is_member
   )
   insert into mail_recipients as r (address_hash, began_at, from_own, from_others)
   select ${HASH}, :now, m.is_member::int, (not m.is_member)::int from member m
   on conflict (address_hash) do update
   set began_at = case when r.began_at <= excluded.began_at - ${DAY} then excluded.began_at else r.began_at end,
     from_own = excluded.from_own + case when r.began_at <= excluded.began_at - ${DAY} then 0 else r.from_own end,
     from_others = excluded.from_others
       + case when r.began_at <= excluded.began_at - ${DAY} then 0 else r.from_others end
   returning r.stopped_at is not null as is_stopped, (select m.is_member from member m) as is_member,
     case when (select m.is_member from member m) then r.from_own else r.from_others end as sent`,
)

export type CountedMail = RowOf<typeof countStatement>

/** Counts a mail before it is sent; several processes get different numbers. */
export async function countMail(
  db: Database,
  mail: { org_id: string; address_hash: string; email: string; now: Date },
): Promise<CountedMail> {
  const [row] = await db.runOnce({ worker: true, org_id: mail.org_id }, countStatement, mail)
  // The statement always returns a row.
  return row ?? { is_stopped: true, is_member: false, sent: 0 }
}

const uncountStatement = defineStatement(
  'mail_recipients.uncount',
  { address_hash: text, is_member: bool },
  {},
  `update mail_recipients
   set from_own = greatest(from_own - (:is_member::boolean)::int, 0),
     from_others = greatest(from_others - (not :is_member::boolean)::int, 0)
   where address_hash = ${HASH}`,
)

/** Call it if the mail was not sent after all. */
export async function uncountMail(
  db: Database,
  mail: { address_hash: string; is_member: boolean },
): Promise<void> {
  await db.runOnce({ worker: true }, uncountStatement, mail)
}

const plan = defineStatement(
  'mail_recipients.plan_digest',
  { address_hash: text },
  {},
  `update mail_recipients set digest_at = coalesce(digest_at, began_at + ${DAY}) where address_hash = ${HASH}`,
)

const hold = defineStatement(
  'held_mails.add',
  { address_hash: text, sender_id: uuid, sealed: text, most_lines: int },
  {},
  `insert into held_mails as h (address_hash, sender_id, place, messages, sealed)
   select ${HASH}, :sender_id, least(count(*) + 1, :most_lines::int + 1), 1, :sealed
   from held_mails x where x.address_hash = ${HASH} and x.sender_id = :sender_id
   on conflict (address_hash, sender_id, place) do update set messages = h.messages + 1`,
)

export interface HeldMail {
  address_hash: string
  sender_id: string
  sealed: string
  /** Further mails of the organization are counted, but not listed. */
  most_lines: number
}

/** Adds a mail to the next digest of its recipient. */
export async function holdMail(db: Database, mail: HeldMail): Promise<void> {
  const { address_hash } = mail
  await db.withTransaction({ worker: true }, async tx => {
    // Locks the recipient, so that the lines are numbered.
    await tx.run(plan, { address_hash })
    await tx.run(hold, mail)
  })
}

const due = defineStatement(
  'mail_recipients.due_for_digest',
  { now: time, limit: int },
  { address_hash: text },
  `update mail_recipients set digest_at = null
   where address_hash = any (array(
     select r.address_hash from mail_recipients r where r.digest_at <= :now
     order by r.digest_at limit :limit::int for update skip locked))
   returning encode(address_hash, 'hex') as address_hash`,
)

/** Each is returned to one process; a rollback restores it. */
export async function takeDueRecipients(tx: Db, now: Date, limit: number): Promise<string[]> {
  return (await tx.run(due, { now, limit })).map(({ address_hash }) => address_hash)
}

const takeHeld = defineStatement(
  'held_mails.take',
  { address_hashes: texts },
  { address_hash: text, sender_id: uuid, place: int, messages: int, sealed: text },
  `delete from held_mails h
   where h.address_hash = any (array(select decode(a.hash, 'hex') from unnest(:address_hashes::text[]) a (hash)))
   returning encode(h.address_hash, 'hex') as address_hash, h.sender_id, h.place, h.messages, h.sealed`,
)

export type TakenMail = RowOf<typeof takeHeld>

export function takeHeldMails(tx: Db, address_hashes: readonly string[]): Promise<TakenMail[]> {
  return tx.run(takeHeld, { address_hashes: [...address_hashes] })
}

const forget = defineStatement(
  'mail_recipients.forget_idle',
  { now: time, limit: int },
  { address_hash: text },
  `delete from mail_recipients where address_hash = any (array(
     select r.address_hash from mail_recipients r
     where r.stopped_at is null and r.digest_at is null and r.began_at <= :now::timestamptz - ${DAY}
     order by r.began_at limit :limit::int for update skip locked))
   returning encode(address_hash, 'hex') as address_hash`,
)

/** Forgets those who got nothing for a day and have not stopped anything. */
export async function forgetIdleRecipients(db: Database, now: Date, limit: number): Promise<number> {
  return (await db.runOnce({ worker: true }, forget, { now, limit })).length
}

const find = defineStatement(
  'mail_recipients.find',
  { address_hash: text },
  { stopped_at: nullable(time) },
  `select stopped_at from mail_recipients where address_hash = ${HASH}`,
)

/** Since when the recipient wants no mail of organizations; null if they do. */
export async function findStop(db: Db, address_hash: string): Promise<Date | null> {
  return (await db.run(find, { address_hash }))[0]?.stopped_at ?? null
}

const stop = defineStatement(
  'mail_recipients.stop',
  { address_hash: text, now: time },
  {},
  `with dropped as (delete from held_mails where address_hash = ${HASH})
   insert into mail_recipients as r (address_hash, began_at, stopped_at) values (${HASH}, :now, :now)
   on conflict (address_hash) do update set digest_at = null, stopped_at = coalesce(r.stopped_at, excluded.stopped_at)`,
)

/** Also drops what is held back. */
export async function stopMail(db: Db, address_hash: string, now: Date): Promise<void> {
  await db.run(stop, { address_hash, now })
}

const allow = defineStatement(
  'mail_recipients.allow',
  { address_hash: text },
  {},
  `update mail_recipients set stopped_at = null where address_hash = ${HASH}`,
)

export async function allowMail(db: Db, address_hash: string): Promise<void> {
  await db.run(allow, { address_hash })
}
