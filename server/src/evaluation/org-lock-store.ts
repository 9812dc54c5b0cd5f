// The evaluation lock of an organization: while it is locked, only the holder evaluates it. Seeding demo data writes
// a history with past clock times; the regular loop would evaluate it at the current time and give that time to all
// later events. It is a session lock, so it ends with the session.
import type { Database, Db } from '../db/database.ts'
import { bool, defineStatement, uuid, uuids } from '../db/statement.ts'

const ORG_LOCK_CLASS = 20_261
const buildLockKey = (org_id: string) => `hashtext(${org_id}::text)`

const lock = defineStatement(
  'evaluation.lock_org',
  { org_id: uuid },
  { is_locked: bool },
  `select true as is_locked from pg_advisory_lock(${ORG_LOCK_CLASS}, ${buildLockKey(':org_id::uuid')})`,
)

const release = defineStatement(
  'evaluation.unlock_org',
  { org_id: uuid },
  { is_unlocked: bool },
  `select pg_advisory_unlock(${ORG_LOCK_CLASS}, ${buildLockKey(':org_id::uuid')}) as is_unlocked`,
)

/** Locks until the session ends or releases it. Needs a connection that is not returned to a pool. */
export async function lockOrgEvaluation(session: Db, org_id: string): Promise<() => Promise<void>> {
  await session.run(lock, { org_id })
  return async () => {
    await session.run(release, { org_id })
  }
}

// pg_locks stores the two keys as unsigned numbers.
const locked = defineStatement(
  'evaluation.locked_orgs',
  { org_ids: uuids },
  { org_id: uuid },
  `select distinct asked.org_id from unnest(:org_ids::uuid[]) asked(org_id)
   where exists (
     select from pg_locks l
     where l.locktype = 'advisory' and l.granted and l.classid = ${ORG_LOCK_CLASS}
       and l.objid::bigint = (${buildLockKey('asked.org_id')}::bigint & 4294967295)
       and l.database = (select d.oid from pg_database d where d.datname = current_database()))`,
)

/** Which of these organizations are locked. */
export async function findLockedOrgs(db: Database, org_ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (org_ids.length === 0) return new Set()
  const rows = await db.runOnce({ worker: true }, locked, { org_ids: [...org_ids] })
  return new Set(rows.map(({ org_id }) => org_id))
}
