// The statements that find stale environments and mark them.
import type { Database, Db } from '../db/database.ts'
import { isThawed } from '../db/frozen-orgs.ts'
import {
  count,
  defineStatement,
  int,
  nullable,
  type RowOf,
  readsWholeDatabase,
  time,
  uuid,
} from '../db/statement.ts'
import { numberTurns } from '../db/turns.ts'

const stale = defineStatement(
  'staleness.find',
  { now: time },
  { org_id: uuid, environment_id: uuid },
  `select s.org_id, s.environment_id from ${numberTurns(
    `select e.org_id, e.environment_id, e.stale_at from environments e
     where e.stale_at <= :now and e.stale_noticed_at is null and e.archived_at is null and ${isThawed('e.org_id')}`,
    { since: 'stale_at, environment_id', most: '100' },
  )} s
   order by s.turn, s.stale_at limit 100`,
  readsWholeDatabase('puts everything that has become stale and was not announced yet in order of turns'),
)

export type StaleEnvironment = RowOf<typeof stale>

/** Environments of all organizations that have become stale and were not announced yet, by turns. */
export function listNewlyStale(db: Database, now: Date): Promise<StaleEnvironment[]> {
  return db.runOnce({ worker: true }, stale, { now })
}

const countAll = defineStatement(
  'staleness.count',
  { now: time },
  { total: count },
  'select count(*) as total from environments where stale_at <= :now and archived_at is null',
)

/** The number of stale environments of all organizations. */
export async function countStale(db: Database, now: Date): Promise<number> {
  return (await db.runOnce({ worker: true }, countAll, { now }))[0]?.total ?? 0
}

const setNoticed = defineStatement(
  'staleness.set_noticed',
  { org_id: uuid, environment_id: uuid, now: time },
  { last_reported_at: nullable(time), expected_report_interval: nullable(int), stale_at: nullable(time) },
  `update environments set stale_noticed_at = :now
   where org_id = :org_id and environment_id = :environment_id
     and stale_at <= :now and stale_noticed_at is null and archived_at is null
   returning last_reported_at, expected_report_interval, stale_at`,
)

/** Undefined if the environment has reported meanwhile, or if another process was first. */
export async function markStale(db: Db, { org_id, environment_id }: StaleEnvironment, now: Date) {
  return (await db.run(setNoticed, { org_id, environment_id, now }))[0]
}

const clearNoticed = defineStatement(
  'staleness.clear_noticed',
  { org_id: uuid, environment_id: uuid },
  {},
  `update environments set stale_noticed_at = null where org_id = :org_id and environment_id = :environment_id`,
)

export async function clearStale(db: Db, { org_id, environment_id }: StaleEnvironment): Promise<void> {
  await db.run(clearNoticed, { org_id, environment_id })
}
