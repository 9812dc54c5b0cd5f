// The statements that find environments that fell silent, and mark them.
import type { Database, Db } from '../db/database.ts'
import { count, int, nullable, type RowOf, statement, time, uuid } from '../db/statement.ts'

const silent = statement(
  'silence.find',
  { now: time },
  { org_id: uuid, environment_id: uuid },
  `select org_id, environment_id from environments
   where stale_at <= :now and stale_noticed_at is null and archived_at is null
   order by stale_at limit 100`,
)

export type SilentEnvironment = RowOf<typeof silent>

/** Environments of every org that have become stale and of which nobody was told. */
export function silentEnvironments(db: Database, now: Date): Promise<SilentEnvironment[]> {
  return db.once({ worker: true }, silent, { now })
}

const countAll = statement(
  'silence.count',
  { now: time },
  { total: count },
  'select count(*) as total from environments where stale_at <= :now and archived_at is null',
)

/** How many environments of all orgs are stale. */
export async function countStale(db: Database, now: Date): Promise<number> {
  return (await db.once({ worker: true }, countAll, { now }))[0]?.total ?? 0
}

const mark = statement(
  'silence.mark',
  { org_id: uuid, environment_id: uuid, now: time },
  { last_reported_at: nullable(time), expected_report_interval: nullable(int), stale_at: nullable(time) },
  `update environments set stale_noticed_at = :now
   where org_id = :org_id and environment_id = :environment_id
     and stale_at <= :now and stale_noticed_at is null and archived_at is null
   returning last_reported_at, expected_report_interval, stale_at`,
)

/** Undefined when it reported meanwhile, or somebody else was first. */
export async function markStale(db: Db, { org_id, environment_id }: SilentEnvironment, now: Date) {
  return (await db.run(mark, { org_id, environment_id, now }))[0]
}

const unmark = statement(
  'silence.unmark',
  { org_id: uuid, environment_id: uuid },
  {},
  `update environments set stale_noticed_at = null where org_id = :org_id and environment_id = :environment_id`,
)

export async function unmarkStale(db: Db, { org_id, environment_id }: SilentEnvironment): Promise<void> {
  await db.run(unmark, { org_id, environment_id })
}
