// The SQL of the event log: append and read. The application role cannot change or delete events.
import { type Db, makeStep, type Step } from '../db/database.ts'
import { bool, count, defineStatement, int, json, nullable, text, time, uuid } from '../db/statement.ts'
import type { EventKind } from './kinds.ts'

export interface NewEvent {
  event_id: string
  kind: EventKind
  now: Date
  actor: string
  request_id: string
  flow_id?: string
  trail_id?: string
  environment_id?: string
  policy_id?: string
  control_id?: string
  data: Record<string, unknown>
}

const append = defineStatement(
  'events.append',
  {
    org_id: uuid,
    event_id: uuid,
    kind: text,
    now: time,
    actor: text,
    request_id: text,
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    environment_id: nullable(uuid),
    policy_id: nullable(uuid),
    control_id: nullable(uuid),
    data: json<Record<string, unknown>>(),
  },
  {},
  `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, environment_id,
                       policy_id, control_id, data)
   values (:org_id, :event_id, :kind, :now, :actor, :request_id, :flow_id, :trail_id, :environment_id, :policy_id,
           :control_id, :data::jsonb)`,
)

/** Call this in the transaction of the change that the event describes. */
export async function insertEvent(db: Db, org_id: string, event: NewEvent): Promise<void> {
  const noSubjects = {
    flow_id: null,
    trail_id: null,
    environment_id: null,
    policy_id: null,
    control_id: null,
  }
  await db.run(append, { org_id, ...noSubjects, ...event })
}

/** An event of a snapshot: that it was taken, or that the artifact of a trail started or stopped in it. */
export interface NewSnapshotEvent {
  event_id: string
  kind: 'snapshot_taken' | 'artifact_started_running' | 'artifact_stopped_running'
  /** Null for the snapshot itself. */
  flow_id: string | null
  trail_id: string | null
  environment_id: string
  data: Record<string, unknown>
}

const appendOfSnapshot = defineStatement(
  'events.append_of_snapshot',
  { org_id: uuid, events: json<readonly NewSnapshotEvent[]>(), now: time, actor: text, request_id: text },
  {},
  `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, environment_id, data)
   select :org_id, s.event_id, s.kind, :now, :actor, :request_id, s.flow_id, s.trail_id, s.environment_id, s.data
   from jsonb_to_recordset(:events::jsonb) as s(event_id uuid, kind text, flow_id uuid, trail_id uuid,
     environment_id uuid, data jsonb)`,
)

/** Inserts any number of events with one statement. */
export async function insertSnapshotEvents(
  db: Db,
  org_id: string,
  context: { now: Date; caller: { name: string }; request_id: string },
  events: readonly NewSnapshotEvent[],
): Promise<void> {
  const { now, caller, request_id } = context
  await db.run(appendOfSnapshot, { org_id, events, now, actor: caller.name, request_id })
}

const appendMany = defineStatement(
  'events.append_many',
  { org_id: uuid, events: json<readonly NewEvent[]>() },
  {},
  `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, environment_id,
                       policy_id, control_id, data)
   select :org_id, e.event_id, e.kind, e.now, e.actor, e.request_id, e.flow_id, e.trail_id, e.environment_id,
          e.policy_id, e.control_id, e.data
   from jsonb_to_recordset(:events::jsonb) as e(event_id uuid, kind text, now timestamptz, actor text, request_id text,
     flow_id uuid, trail_id uuid, environment_id uuid, policy_id uuid, control_id uuid, data jsonb)`,
)

/** For a batch: the events of several requests, each with its own actor and time. */
export function buildEventsStep(org_id: string, events: readonly NewEvent[]): Step {
  return makeStep(appendMany, { org_id, events })
}

const appendForNewTrail = defineStatement(
  'events.append_for_new_trail',
  {
    org_id: uuid,
    event_id: uuid,
    kind: text,
    now: time,
    actor: text,
    request_id: text,
    trail_id: uuid,
    data: json<Record<string, unknown>>(),
  },
  {},
  `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
   select :org_id, :event_id, :kind, :now, :actor, :request_id, t.flow_id, t.trail_id,
     :data::jsonb || jsonb_build_object('template_id', t.template_id)
   from trails t where t.org_id = :org_id and t.trail_id = :trail_id`,
)

/**
 * For the batch that begins a trail: nobody waits between the two statements, so this one looks whether there is a trail
 * with the new id.
 */
export function buildNewTrailStep(
  org_id: string,
  event: NewEvent & { kind: 'trail_reported'; trail_id: string },
): Step {
  return makeStep(appendForNewTrail, { org_id, ...event })
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

/** The newest events in chronological order, with or without those of its artifacts in environments. */
export function listTrailEvents(
  db: Db,
  org_id: string,
  trail: { flow_name: string; trail_name: string; with_environments: boolean },
  limit: number,
) {
  return db.run(trailEvents, { org_id, ...trail, limit })
}
