// The statements behind the audit events. A scan reads a bounded number of events before a position, by an index, so
// rare events take several scans but never a long one.
import type { Db } from '../../db/database.ts'
import {
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  type Statement,
  text,
  texts,
  time,
  uuid,
  uuids,
} from '../../db/statement.ts'

export interface Scan {
  /** The flow, environment or control that all events are about; null for any. */
  subject_id: string | null
  before_id: string
  not_before_id: string
  kinds: string[] | null
  actor: string | null
  from_at: Date | null
  to_at: Date | null
  max_examined: number
  limit: number
}

const SCAN_PARAMS = {
  org_id: uuid,
  subject_id: nullable(uuid),
  before_id: uuid,
  not_before_id: uuid,
  kinds: nullable(texts),
  actor: nullable(text),
  from_at: nullable(time),
  to_at: nullable(time),
  max_examined: int,
  limit: int,
}

const FOUND = { event_ids: uuids, examined: int, last_id: nullable(uuid) }

/** One statement for each index. */
function defineScan(name: string, about: string) {
  return defineStatement(
    `audit_events.${name}`,
    SCAN_PARAMS,
    FOUND,
    `with examined as materialized (
       select e.event_id, e.kind, e.actor, e.happened_at from events e
       where e.org_id = :org_id and ${about}
         and e.event_id < :before_id and e.event_id >= :not_before_id
       order by e.event_id desc
       limit :max_examined::int
     )
     select
       array(
         select x.event_id from examined x
         where (x.kind = any (:kinds) or :kinds::text[] is null and x.kind <> 'environment_confirmed')
           and (:actor::text is null or x.actor = :actor)
           and (:from_at::timestamptz is null or x.happened_at >= :from_at)
           and (:to_at::timestamptz is null or x.happened_at <= :to_at)
         order by x.event_id desc
         limit :limit::int
       ) as event_ids,
       (select count(*)::int from examined) as examined,
       (select x.event_id from examined x order by x.event_id limit 1) as last_id`,
    readsPage,
  )
}

const SCANS = {
  org: defineScan('look', ':subject_id::uuid is null'),
  flow: defineScan('look_at_flow', 'e.flow_id = :subject_id::uuid and e.flow_id is not null'),
  environment: defineScan(
    'look_at_environment',
    'e.environment_id = :subject_id::uuid and e.environment_id is not null',
  ),
  control: defineScan('look_at_control', 'e.control_id = :subject_id::uuid and e.control_id is not null'),
} as const satisfies Record<string, Statement<Scan & { org_id: string }, unknown>>

export type Subject = keyof typeof SCANS
export type Found = RowOf<(typeof SCANS)['org']>

export async function scanEvents(db: Db, org_id: string, subject: Subject, scan: Scan): Promise<Found> {
  const [found] = await db.run(SCANS[subject], { org_id, ...scan })
  return found ?? { event_ids: [], examined: 0, last_id: null }
}

const withIds = defineStatement(
  'audit_events.with_ids',
  { org_id: uuid, event_ids: uuids },
  { event_id: uuid, kind: text, happened_at: time, actor: text, data: json<Record<string, unknown>>() },
  `select event_id, kind, happened_at, actor, data from events
   where org_id = :org_id and event_id = any (:event_ids)
   order by event_id desc`,
)

export type EventRow = RowOf<typeof withIds>

export async function listEvents(db: Db, org_id: string, event_ids: string[]): Promise<EventRow[]> {
  return event_ids.length === 0 ? [] : db.run(withIds, { org_id, event_ids })
}

const subjects = defineStatement(
  'audit_events.subjects',
  { org_id: uuid, flow_name: nullable(text), environment_name: nullable(text), control: nullable(text) },
  { flow_id: nullable(uuid), environment_id: nullable(uuid), control_id: nullable(uuid) },
  // Archived flows and environments keep their history under their name.
  `select
     coalesce(flow_named(:org_id, :flow_name::text), (
       select f.flow_id from flows f where f.org_id = :org_id and f.name = :flow_name)) as flow_id,
     coalesce((
       select v.environment_id from environments v where v.org_id = :org_id and v.name = :environment_name::text), (
       select n.environment_id from former_environment_names n
       where n.org_id = :org_id and n.name = :environment_name)) as environment_id,
     (select c.control_id from controls c where c.org_id = :org_id and c.identifier = :control::text) as control_id`,
)

/** The ids behind the names; null for an unknown name. */
export async function findSubjects(
  db: Db,
  org_id: string,
  names: { flow_name: string | null; environment_name: string | null; control: string | null },
): Promise<RowOf<typeof subjects>> {
  const [found] = await db.run(subjects, { org_id, ...names })
  return found ?? { flow_id: null, environment_id: null, control_id: null }
}
