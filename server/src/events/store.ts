// The SQL of the event log: append and read. The application role cannot change or delete events.
import type { Db, Step } from '../db/database.ts'
import { bool, count, defineStatement, int, json, nullable, text, time, uuid } from '../db/statement.ts'
import { appendToLog } from './append-to-log.ts'
import { buildInsertStep } from './insert-store.ts'
import { EventAuthor, type RequestContext } from './request-context.ts'
import { type EventToInsert, toRowsAndEntries } from './to-log.ts'

/** Inserts the events in this order and has them numbered in the log when the transaction commits. */
export function buildEventsStep(org_id: string, events: readonly EventToInsert[]): Step {
  const prepared = toRowsAndEntries(org_id, events)
  const step = buildInsertStep(
    org_id,
    prepared.map(({ row }) => row),
  )
  return { ...step, logged: prepared.map(({ entry }) => Object.assign(entry, { append: appendToLog })) }
}

/** A snapshot event: it was taken, or an artifact of a trail started or stopped in it. */
export interface NewSnapshotEvent {
  event_id: string
  kind: 'environment_confirmed' | 'snapshot_taken' | 'artifact_started_running' | 'artifact_stopped_running'
  /** Null for the snapshot itself. */
  flow_id: string | null
  trail_id: string | null
  environment_id: string
  data: Record<string, unknown>
  contents?: EventToInsert['contents']
}

/** Inserts any number of events with one statement. */
export async function insertSnapshotEvents(
  db: Db,
  org_id: string,
  context: RequestContext,
  events: readonly NewSnapshotEvent[],
): Promise<void> {
  const author = new EventAuthor(context)
  await db.runSteps([
    buildEventsStep(
      org_id,
      events.map(event => ({ ...author, ...event })),
    ),
  ])
}

const trailEvents = defineStatement(
  'events.list_trail_events',
  { org_id: uuid, flow_name: text, trail_name: text, with_environments: bool, limit: int },
  {
    kind: text,
    happened_at: time,
    actor: text,
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    data: json<Record<string, unknown>>(),
    total: count,
  },
  `with trail as materialized (
     select t.trail_id from trails t
     where t.org_id = :org_id and t.flow_id = flow_meant(:org_id, :flow_name) and t.name = :trail_name
   ), counted as materialized (
     select count(*) as total from events x
     where x.org_id = :org_id and x.trail_id = (select trail_id from trail)
       and (:with_environments::boolean or x.environment_id is null)
   )
   select kind, happened_at, actor, flow_id, trail_id, data, (select total from counted) as total
   from (
     select e.event_id, e.kind, e.happened_at, e.actor, e.flow_id, e.trail_id, e.data
     from events e
     where e.org_id = :org_id and e.trail_id = (select trail_id from trail)
       and (:with_environments::boolean or e.environment_id is null)
     order by e.event_id desc
     limit :limit::int
   ) newest
   order by event_id`,
)

export type TrailEventRow = Awaited<ReturnType<typeof listTrailEvents>>[number]

/** The newest trail events in chronological order, with or without those of its artifacts in environments. */
export function listTrailEvents(
  db: Db,
  org_id: string,
  trail: { flow_name: string; trail_name: string; with_environments: boolean },
  limit: number,
) {
  return db.run(trailEvents, { org_id, ...trail, limit })
}
