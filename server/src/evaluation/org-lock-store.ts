// An organization that is held is judged by its holder alone. Whoever makes up its past does so at a clock of the past, and a
// judge at the clock of everybody would come between: what came after it would all have happened now. Held by a lock of the
// session, which is gone with it.
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

/** Until the session ends or releases it: of a connection that is not given back to a pool. */
export async function lockOrgEvaluation(session: Db, org_id: string): Promise<() => Promise<void>> {
  await session.run(lock, { org_id })
  return async () => {
    await session.run(release, { org_id })
  }
}

// Locks have their two numbers without a sign.
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

/** Which of them somebody holds. */
export async function findLockedOrgs(db: Database, org_ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (org_ids.length === 0) return new Set()
  const rows = await db.runOnce({ worker: true }, locked, { org_ids: [...org_ids] })
  return new Set(rows.map(({ org_id }) => org_id))
}
