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
  /** The flow, environment or control that all returned events are about; null for any. */
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

const EVENT = {
  event_id: uuid,
  kind: text,
  happened_at: time,
  actor: text,
  data: json<Record<string, unknown>>(),
  flow_name: nullable(text),
  trail_name: nullable(text),
  environment_name: nullable(text),
  policy_name: nullable(text),
  control: nullable(text),
}

const withIds = defineStatement(
  'audit_events.with_ids',
  { org_id: uuid, event_ids: uuids },
  EVENT,
  `select e.event_id, e.kind, e.happened_at, e.actor, e.data, f.name as flow_name, t.name as trail_name,
     v.name as environment_name, p.name as policy_name, c.identifier as control
   from events e
   left join flows f on f.org_id = e.org_id and f.flow_id = e.flow_id
   left join trails t on t.org_id = e.org_id and t.trail_id = e.trail_id
   left join environments v on v.org_id = e.org_id and v.environment_id = e.environment_id
   left join policies p on p.org_id = e.org_id and p.policy_id = e.policy_id
   left join controls c on c.org_id = e.org_id and c.control_id = e.control_id
   where e.org_id = :org_id and e.event_id = any (:event_ids)
   order by e.event_id desc`,
)

export type EventRow = RowOf<typeof withIds>

export async function listEvents(db: Db, org_id: string, event_ids: string[]): Promise<EventRow[]> {
  return event_ids.length === 0 ? [] : db.run(withIds, { org_id, event_ids })
}

const controlsDecided = defineStatement(
  'audit_events.controls_decided',
  { org_id: uuid, attestation_ids: uuids },
  { attestation_id: uuid, control: nullable(text) },
  `select attestation_id, control from attestations
   where org_id = :org_id and attestation_id = any (:attestation_ids) and control is not null`,
)

/** The controls of decisions, which the data of their events does not name. */
export async function listControlsDecided(
  db: Db,
  org_id: string,
  attestation_ids: string[],
): Promise<RowOf<typeof controlsDecided>[]> {
  return attestation_ids.length === 0 ? [] : db.run(controlsDecided, { org_id, attestation_ids })
}

const values = defineStatement(
  'audit_events.values',
  { org_id: uuid, max_examined: int },
  { kinds: texts, actors: texts, flows: texts, environments: texts, controls: texts, examined: int },
  `with examined as materialized (
     select e.kind, e.actor, e.flow_id, e.environment_id, e.control_id from events e
     where e.org_id = :org_id
     order by e.event_id desc
     limit :max_examined::int
   )
   select
     array(select distinct x.kind from examined x order by 1) as kinds,
     array(select distinct x.actor from examined x order by 1) as actors,
     array(
       select f.name from (select distinct x.flow_id from examined x where x.flow_id is not null) s
       join flows f on f.org_id = :org_id and f.flow_id = s.flow_id order by 1) as flows,
     array(
       select v.name from (select distinct x.environment_id from examined x where x.environment_id is not null) s
       join environments v on v.org_id = :org_id and v.environment_id = s.environment_id order by 1) as environments,
     array(
       select c.identifier from (select distinct x.control_id from examined x where x.control_id is not null) s
       join controls c on c.org_id = :org_id and c.control_id = s.control_id order by 1) as controls,
     (select count(*)::int from examined) as examined`,
  readsPage,
)

/** The values that occur in the newest events. */
export async function listValues(
  db: Db,
  org_id: string,
  max_examined: number,
): Promise<RowOf<typeof values>> {
  const [found] = await db.run(values, { org_id, max_examined })
  return found ?? { kinds: [], actors: [], flows: [], environments: [], controls: [], examined: 0 }
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

/** The ids of the names; null for an unknown name. */
export async function findSubjects(
  db: Db,
  org_id: string,
  names: { flow_name: string | null; environment_name: string | null; control: string | null },
): Promise<RowOf<typeof subjects>> {
  const [found] = await db.run(subjects, { org_id, ...names })
  return found ?? { flow_id: null, environment_id: null, control_id: null }
}
