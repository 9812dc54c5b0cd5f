// The SQL that freezes and thaws orgs. It runs across orgs, as the owner.
import type { Db } from '../db/database.ts'
import {
  bool,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  texts,
  time,
  uuid,
} from '../db/statement.ts'

const find = defineStatement(
  'freeze.find',
  { name: text },
  {
    org_id: uuid,
    name: text,
    kind: text,
    frozen_at: nullable(time),
    is_draining: nullable(bool),
    moved_to: nullable(text),
  },
  `select o.org_id, o.name, o.kind, f.frozen_at, f.is_draining, f.moved_to
   from orgs o left join frozen_orgs f on f.org_id = o.org_id
   where o.name_key = lower(:name)`,
)

export type FreezeState = RowOf<typeof find>

export async function findFreezeState(db: Db, name: string): Promise<FreezeState | undefined> {
  return (await db.run(find, { name }))[0]
}

const state = defineStatement(
  'freeze.is_frozen',
  { org_id: uuid },
  { name: text },
  'select o.name from frozen_orgs f join orgs o on o.org_id = f.org_id where f.org_id = :org_id',
)

/** The name of the org, if it is frozen. */
export async function findFrozenName(db: Db, org_id: string): Promise<string | undefined> {
  return (await db.run(state, { org_id }))[0]?.name
}

const put = defineStatement(
  'freeze.put',
  { org_id: uuid, reason: text, is_draining: bool, now: time },
  {},
  `insert into frozen_orgs (org_id, frozen_at, reason, is_draining)
   values (:org_id, :now, :reason, :is_draining)
   on conflict (org_id) do update set is_draining = :is_draining`,
)

export interface Freeze {
  org_id: string
  reason: string
  is_draining: boolean
  now: Date
}

export async function putFreeze(db: Db, freeze: Freeze): Promise<void> {
  await db.run(put, { ...freeze })
}

const setMoved = defineStatement(
  'freeze.set_moved',
  { org_id: uuid, moved_to: text },
  {},
  'update frozen_orgs set moved_to = :moved_to where org_id = :org_id',
)

export async function setMovedTo(db: Db, org_id: string, moved_to: string): Promise<void> {
  await db.run(setMoved, { org_id, moved_to })
}

const remove = defineStatement(
  'freeze.remove',
  { org_id: uuid },
  {},
  'delete from frozen_orgs where org_id = :org_id',
)

export async function removeFreeze(db: Db, org_id: string): Promise<void> {
  await db.run(remove, { org_id })
}

const leased = defineStatement(
  'freeze.leased_jobs',
  { org_id: uuid, now: time },
  // The owner's connections return a count as text.
  { jobs: int },
  `select count(*)::int as jobs from outbox
   where org_id = :org_id and finished_at is null and lease_until > :now`,
  readsWholeOrg('an operator waits for it once, before the organization moves'),
)

/** The number of jobs that a worker is running. */
export async function countLeasedJobs(db: Db, org_id: string, now: Date): Promise<number> {
  return (await db.run(leased, { org_id, now }))[0]?.jobs ?? 0
}

// Each transaction holds a lock on its own virtual id until it ends. Every role may see these locks. Autovacuum has no
// user.
const open = defineStatement(
  'freeze.open_transactions',
  {},
  { virtual_id: text, pid: int },
  `select coalesce(l.virtualxid, '') as virtual_id, coalesce(l.pid, 0) as pid
   from pg_locks l join pg_stat_activity a on a.pid = l.pid
   where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted and l.pid <> pg_backend_pid()
     and a.datname = current_database() and a.usesysid is not null`,
)

/** The transactions of other sessions of this database. */
export function listOpenTransactions(db: Db): Promise<RowOf<typeof open>[]> {
  return db.run(open, {})
}

const stillOpen = defineStatement(
  'freeze.still_open',
  { virtual_ids: texts },
  { pid: int },
  `select coalesce(l.pid, 0) as pid from pg_locks l
   where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.virtualxid = any (:virtual_ids::text[])`,
)

/** Of these transactions' sessions, those still open. */
export async function listStillOpen(db: Db, virtual_ids: string[]): Promise<number[]> {
  return (await db.run(stillOpen, { virtual_ids })).map(({ pid }) => pid)
}
