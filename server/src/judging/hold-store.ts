// An organization that is held is judged by its holder alone. Whoever makes up its past does so at a clock of the past, and a
// judge at the clock of everybody would come between: what came after it would all have happened now. Held by a lock of the
// session, which is gone with it.
import type { Database, Db } from '../db/database.ts'
import { bool, statement, uuid, uuids } from '../db/statement.ts'

const HELD_ORGS = 20_261
const numberOf = (org_id: string) => `hashtext(${org_id}::text)`

const hold = statement(
  'judging.hold',
  { org_id: uuid },
  { is_held: bool },
  `select true as is_held from pg_advisory_lock(${HELD_ORGS}, ${numberOf(':org_id::uuid')})`,
)

const release = statement(
  'judging.release',
  { org_id: uuid },
  { is_released: bool },
  `select pg_advisory_unlock(${HELD_ORGS}, ${numberOf(':org_id::uuid')}) as is_released`,
)

/** Until the session ends or releases it: of a connection that is not given back to a pool. */
export async function holdOrg(session: Db, org_id: string): Promise<() => Promise<void>> {
  await session.run(hold, { org_id })
  return async () => {
    await session.run(release, { org_id })
  }
}

// Locks have their two numbers without a sign.
const held = statement(
  'judging.held',
  { org_ids: uuids },
  { org_id: uuid },
  `select distinct asked.org_id from unnest(:org_ids::uuid[]) asked(org_id)
   where exists (
     select from pg_locks l
     where l.locktype = 'advisory' and l.granted and l.classid = ${HELD_ORGS}
       and l.objid::bigint = (${numberOf('asked.org_id')}::bigint & 4294967295)
       and l.database = (select d.oid from pg_database d where d.datname = current_database()))`,
)

/** Which of them somebody holds. */
export async function heldOrgs(db: Database, org_ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (org_ids.length === 0) return new Set()
  const rows = await db.once({ worker: true }, held, { org_ids: [...org_ids] })
  return new Set(rows.map(({ org_id }) => org_id))
}
