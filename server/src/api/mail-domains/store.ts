// Every statement about the mail domains of organizations. The organization that has proved a domain is looked up in
// the `signin` scope, which sees the claims of every organization.
import { toColumnList, toSetList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import { isThawed } from '../../db/frozen-orgs.ts'
import {
  defineStatement,
  int,
  nullable,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'

const CHECK = { problem: nullable(text), confirmed_at: nullable(time), proved_at: nullable(time) }

const DOMAIN = {
  domain: text,
  challenge: text,
  created_by: text,
  created_at: time,
  checked_at: nullable(time),
  ...CHECK,
}

const list = defineStatement(
  'mail_domains.list',
  { org_id: uuid },
  DOMAIN,
  `select ${toColumnList(DOMAIN)} from mail_domains where org_id = :org_id order by domain`,
)

export type MailDomainRow = RowOf<typeof list>

/** Sorted by name. */
export function listDomains(db: Database, org_id: string): Promise<MailDomainRow[]> {
  return db.runOnce({ org_id }, list, { org_id })
}

const lock = defineStatement(
  'mail_domains.lock',
  { org_id: uuid, domain: text },
  DOMAIN,
  `select ${toColumnList(DOMAIN)} from mail_domains where org_id = :org_id and domain = :domain for no key update`,
)

export async function lockMailDomain(
  db: Db,
  org_id: string,
  domain: string,
): Promise<MailDomainRow | undefined> {
  return (await db.run(lock, { org_id, domain }))[0]
}

const insert = defineStatement(
  'mail_domains.insert_or_keep',
  { org_id: uuid, domain: text, challenge: text, created_by: text, now: time, max_domains: int },
  { domain: text },
  `insert into mail_domains (org_id, domain, challenge, created_by, created_at)
   select :org_id, :domain, :challenge, :created_by, :now
   where (select count(*) from mail_domains where org_id = :org_id) < :max_domains::int
   on conflict do nothing
   returning domain`,
)

/** Returns false if the domain exists or the limit is reached. */
export async function insertMailDomain(
  db: Db,
  org_id: string,
  claim: { domain: string; challenge: string; created_by: string; now: Date; max_domains: number },
): Promise<boolean> {
  return (await db.run(insert, { org_id, ...claim })).length > 0
}

const remove = defineStatement(
  'mail_domains.delete',
  { org_id: uuid, domain: text },
  { domain: text },
  'delete from mail_domains where org_id = :org_id and domain = :domain returning domain',
)

export async function deleteMailDomain(db: Db, org_id: string, domain: string): Promise<boolean> {
  return (await db.run(remove, { org_id, domain })).length > 0
}

const holder = defineStatement(
  'mail_domains.holder',
  { org_id: uuid, domain: text },
  { org_id: uuid, challenge: text },
  `select org_id, challenge from mail_domains
   where domain = :domain and proved_at is not null and org_id <> :org_id`,
)

export type Holder = RowOf<typeof holder>

/** The other organization that has proved the domain, if any. */
export async function findHolder(db: Db, org_id: string, domain: string): Promise<Holder | undefined> {
  return (await db.run(holder, { org_id, domain }))[0]
}

const save = defineStatement(
  'mail_domains.save_check',
  { org_id: uuid, domain: text, ...CHECK, now: time },
  {},
  `update mail_domains
   set checked_at = :now, ${toSetList(CHECK)}
   where org_id = :org_id and domain = :domain`,
)

export interface CheckResult extends Values<typeof CHECK> {
  domain: string
  now: Date
}

export async function saveCheck(db: Db, org_id: string, result: CheckResult): Promise<void> {
  await db.run(save, { org_id, ...result })
}

const due = defineStatement(
  'mail_domains.due',
  { checked_before: time, limit: int },
  { org_id: uuid, domain: text },
  `select org_id, domain from mail_domains d
   where proved_at is not null and checked_at < :checked_before and ${isThawed('d.org_id')}
   order by checked_at limit :limit::int`,
)

/** Proved domains of all organizations that were last checked before that time. */
export function listDueDomains(db: Database, checked_before: Date, limit: number) {
  return db.runOnce({ worker: true }, due, { checked_before, limit })
}

const proved = defineStatement(
  'mail_domains.is_proved',
  { org_id: uuid, domain: text },
  { domain: text },
  'select domain from mail_domains where org_id = :org_id and domain = :domain and proved_at is not null',
)

export async function hasProvedDomain(db: Db, org_id: string, domain: string): Promise<boolean> {
  return (await db.run(proved, { org_id, domain })).length > 0
}
