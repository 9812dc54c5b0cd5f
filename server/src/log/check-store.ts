// The SQL of the check of the logs: every leaf with the event it stands for, and with the content that the event names.
import type { Db } from '../db/database.ts'
import {
  bytes,
  count,
  defineStatement,
  int,
  json,
  nullable,
  type RowOf,
  readsPage,
  readsWholeDatabase,
  text,
  time,
  uuid,
} from '../db/statement.ts'

const heads = defineStatement(
  'log.list_heads',
  {},
  { org_id: uuid, org: text, epoch: int, size: count, unnumbered: count },
  `select h.org_id, o.name as org, h.epoch, h.size, (
     select count(*) from events e where e.org_id = h.org_id and e.salt is not null
       and not exists (select from log_leaves l where l.org_id = h.org_id and l.event_id = e.event_id)) as unnumbered
   from log_heads h join orgs o on o.org_id = h.org_id order by o.name`,
  readsWholeDatabase('the check reads everything'),
)

export type LogHead = RowOf<typeof heads>

export function listHeads(db: Db): Promise<LogHead[]> {
  return db.run(heads, {})
}

const ATTESTED = `'trail_attestation_reported', 'trail_attestation_for_artifact_reported', 'artifact_attestation_reported'`

const leaves = defineStatement(
  'log.list_leaves_with_events',
  { org_id: uuid, epoch: int, from: count, limit: int },
  {
    seq: count,
    event_id: uuid,
    kind: text,
    logged_ms: count,
    body_hash: bytes,
    tags: bytes,
    leaf_hash: bytes,
    event_kind: nullable(text),
    happened_at: nullable(time),
    actor: nullable(text),
    request_id: nullable(text),
    flow_id: nullable(uuid),
    trail_id: nullable(uuid),
    environment_id: nullable(uuid),
    policy_id: nullable(uuid),
    control_id: nullable(uuid),
    caller: nullable(text),
    data: nullable(text),
    parts: nullable(text),
    salt: nullable(bytes),
    named: nullable(json<Record<string, { commitment?: string }>>()),
    contents: nullable(json<Record<string, string | null>>()),
  },
  `select l.seq, l.event_id, l.kind, l.logged_ms, l.body_hash, l.tags, l.leaf_hash, e.kind as event_kind, e.happened_at,
     e.actor, e.request_id, e.flow_id, e.trail_id, e.environment_id, e.policy_id, e.control_id, e.caller::text as caller,
     e.data::text as data, e.parts::text as parts, e.parts as named, e.salt,
     case when e.parts ? 'policy_yaml' then jsonb_build_object('policy_yaml', (
       select v.policy_yaml from policy_versions v
       where v.org_id = e.org_id and v.policy_id = e.policy_id and v.version = (e.data ->> 'version')::int))
     when e.parts ? 'report' then jsonb_build_object('report', coalesce(
       case when e.kind in (${ATTESTED}) then (
         select a.report::text from attestations a
         where a.org_id = e.org_id and a.attestation_id = ((e.data ->> 'attestation_id') || '0000')::uuid) end,
       case when e.kind = 'artifact_creation_reported' then (
         select r.report::text from artifact_reports r
         where r.org_id = e.org_id and r.report_id = ((e.data ->> 'report_id') || '0000')::uuid) end)) end as contents
   from log_leaves l left join events e on e.org_id = l.org_id and e.event_id = l.event_id
   where l.org_id = :org_id and l.epoch = :epoch and l.seq >= :from
   order by l.seq limit :limit::int`,
  readsPage,
)

export type LeafWithEvent = RowOf<typeof leaves>

export function listLeavesWithEvents(
  db: Db,
  range: { org_id: string; epoch: number; from: number; limit: number },
): Promise<LeafWithEvent[]> {
  return db.run(leaves, range)
}
