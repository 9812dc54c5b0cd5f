// Every statement about target breakers, except those with which a claim takes a probe and a response closes the
// breaker.
import type { Db } from '../db/database.ts'
import { defineStatement, int, nullable, type ParamsOf, text, time, uuid, uuids } from '../db/statement.ts'

const lock = defineStatement(
  'breakers.lock',
  { org_id: uuid, target_id: uuid },
  { failures: int, pauses: int, paused_until: nullable(time), probe_job_id: nullable(uuid) },
  `select failures, pauses, paused_until, probe_job_id from delivery_breakers
   where org_id = :org_id and target_id = :target_id
   for no key update`,
)

/** Call it with the target locked: two first failures must not insert the same row. */
export async function lockBreaker(db: Db, org_id: string, target_id: string) {
  return (await db.run(lock, { org_id, target_id }))[0]
}

const save = defineStatement(
  'breakers.save',
  {
    org_id: uuid,
    target_id: uuid,
    failures: int,
    pauses: int,
    paused_until: nullable(time),
    last_error: text,
  },
  {},
  `insert into delivery_breakers (org_id, target_id, failures, pauses, paused_until, last_error)
   values (:org_id, :target_id, :failures, :pauses, :paused_until, :last_error)
   on conflict (org_id, target_id) do update
   set failures = excluded.failures, pauses = excluded.pauses, paused_until = excluded.paused_until,
     last_error = excluded.last_error`,
)

export async function saveBreaker(
  db: Db,
  org_id: string,
  target_id: string,
  breaker: Omit<ParamsOf<typeof save>, 'org_id' | 'target_id'>,
): Promise<void> {
  await db.run(save, { org_id, target_id, ...breaker })
}

const end = defineStatement(
  'breakers.end_pauses',
  { org_id: uuid, target_ids: uuids, now: time },
  {},
  `update delivery_breakers set paused_until = :now
   where org_id = :org_id and target_id = any (:target_ids::uuid[]) and paused_until > :now`,
)

/** Lets the next message to each of these targets be sent now, as a probe, because somebody requested it. */
export async function endPauses(
  db: Db,
  org_id: string,
  target_ids: readonly string[],
  now: Date,
): Promise<void> {
  await db.run(end, { org_id, target_ids: [...target_ids], now })
}
