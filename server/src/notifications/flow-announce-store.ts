// The statement that announces flow events: it turns the events of a write, in the same transaction, into a message
// for every subscribed target. It is part of the batch of the write, so that it adds no round trip.
import type { Db, Step } from '../db/database.ts'
import { makeStep } from '../db/database.ts'
import { defineStatement, text, time, uuid, uuids } from '../db/statement.ts'
import { DELIVERY_JOB } from '../delivery/outbox.ts'

// An approval that is granted is two events: the approval itself and the release.
const FLOW_EVENTS = `
  select case e.kind
           when 'trail_reported' then 'STARTED_TRAIL'
           when 'artifact_creation_reported' then 'ATTESTED_PROVENANCE'
           when 'approval_created' then 'APPROVAL'
           else 'ATTESTATION' end as event_type
  where e.kind in ('trail_reported', 'artifact_creation_reported', 'approval_created', 'trail_attestation_reported',
    'artifact_attestation_reported', 'trail_attestation_for_artifact_reported')
  union all
  select 'RELEASE' where e.kind = 'approval_created' and e.data ->> 'state' = 'APPROVED'`

/** The id of a job starts with the time of the event, as ids do; the rest is random. */
const JOB_ID = `(left(h.event_id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid`

// An artifact known only by its name in the template has not been reported yet.
const ARTIFACT = `case when h.data ->> 'artifact_fingerprint' is not null then jsonb_build_object(
       'name', coalesce(h.data ->> 'artifact_name', h.data ->> 'target_artifact', ''),
       'fingerprint', h.data ->> 'artifact_fingerprint')
     when h.data ->> 'target_artifact' is not null then jsonb_build_object(
       'name', h.data ->> 'target_artifact', 'fingerprint', '') end`

const announce = defineStatement(
  'notify.announce_flow_events',
  { org_id: uuid, event_ids: uuids, kind: text, now: time },
  {},
  `insert into outbox (org_id, job_id, kind, payload, created_at, due_at, event_type, notification_id, target_id)
   select :org_id, ${JOB_ID}, :kind, jsonb_build_object('notice', jsonb_build_object(
       'about', 'flow', 'event_type', h.event_type, 'org', o.name, 'flow', f.name,
       'trail', (select t.name from trails t where t.org_id = :org_id and t.trail_id = h.trail_id),
       'notification', jsonb_build_object('number', n.number, 'name', n.name),
       'happened_at', extract(epoch from h.happened_at), 'actor', h.actor, 'artifact', ${ARTIFACT},
       'attestation', case h.event_type when 'ATTESTATION' then jsonb_build_object(
         'id', h.data ->> 'attestation_id', 'name', h.data ->> 'template_reference_name',
         'type', h.data ->> 'attestation_type', 'compliant', h.data -> 'is_compliant') end,
       'approval', case when h.event_type in ('APPROVAL', 'RELEASE') then jsonb_build_object(
         'number', h.data -> 'approval_number', 'state', h.data ->> 'state') end)),
     :now::timestamptz, :now::timestamptz, h.event_type, n.notification_id, g.target_id
   from (
     select e.event_id, e.flow_id, e.trail_id, e.happened_at, e.actor, e.data, happened.event_type
     from events e cross join lateral (${FLOW_EVENTS}) happened
     where e.org_id = :org_id and e.event_id = any (:event_ids::uuid[])
   ) h
   join notification_flows x on x.org_id = :org_id and x.flow_id = h.flow_id
   join notifications n on n.org_id = :org_id and n.notification_id = x.notification_id and n.deleted_at is null
     and 'ON_' || h.event_type = any (n.triggers)
   join notification_targets g on g.org_id = :org_id and g.notification_id = n.notification_id
     and g.removed_at is null and g.switched_off_at is null
   join flows f on f.org_id = :org_id and f.flow_id = h.flow_id
   join orgs o on o.org_id = :org_id
   order by h.event_id, n.number, g.position`,
)

/** For the statement that reads a report's flow: whether its events can have any subscribers. */
export const isAnnounced = (flow_id: string): string => `coalesce(
  (select true from notification_flows x where x.org_id = :org_id and x.flow_id = ${flow_id} limit 1), false)`

/** Add it to the batch after the statements that write the events. Events that were not written are not announced. */
export function buildAnnounceStep(org_id: string, event_ids: string[], now: Date): Step {
  return makeStep(announce, { org_id, event_ids, kind: DELIVERY_JOB, now })
}

/** Builds the step for those events of a batch whose flows are announced, often none. */
export function buildAnnounceSteps(org_id: string, event_ids: string[], now: Date): Step[] {
  return event_ids.length === 0 ? [] : [buildAnnounceStep(org_id, event_ids, now)]
}

/** Announces events inside a transaction. */
export async function announceEvents(db: Db, org_id: string, event_ids: string[], now: Date): Promise<void> {
  await db.run(announce, { org_id, event_ids, kind: DELIVERY_JOB, now })
}
