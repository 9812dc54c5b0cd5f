// The statement that counts the messages that callers make an org send. A count restarts an hour after it began; every
// increment removes expired counts.
import type { Db } from '../../db/database.ts'
import { defineStatement, int, json, type RowOf, text, time, uuid } from '../../db/statement.ts'

interface Count {
  who: string
  max: number
}

const increment = defineStatement(
  'sending.take',
  { org_id: uuid, what: text, counts: json<readonly Count[]>(), cost: int, now: time, since: time },
  { who: text, max: int, used: int, began_at: time },
  `with wanted as (
     select w.who, w.max from jsonb_to_recordset(:counts::jsonb) as w(who text, max int)
   ), ended as (
     delete from sending_counts c
     where c.org_id = :org_id and c.began_at <= :since
       and not (c.what = :what and c.who in (select w.who from wanted w))
   ), taken as (
     insert into sending_counts as c (org_id, what, who, began_at, used)
     select :org_id, :what, w.who, :now, :cost from wanted w order by w.who
     on conflict (org_id, what, who) do update
     set used = case when c.began_at <= :since then excluded.used else c.used + excluded.used end,
       began_at = case when c.began_at <= :since then excluded.began_at else c.began_at end
     returning c.who, c.used, c.began_at
   )
   select t.who, w.max, t.used, t.began_at from taken t join wanted w on w.who = t.who`,
)

export type CountRow = RowOf<typeof increment>

export interface CountChange {
  org_id: string
  what: 'test' | 'invitation'
  counts: readonly Count[]
  cost: number
  now: Date
  since: Date
}

/** Concurrent increments wait for each other, so two of them cannot both use the last slot. */
export function incrementCounts(db: Db, change: CountChange): Promise<CountRow[]> {
  return db.run(increment, { ...change })
}
