// The SQL that finds the leaf of an event, or of the thing that an event reported. The id of an event is only moments
// later than the id of the thing, so its index is read from there.
import { computeFirst } from '../db/compute-first.ts'
import type { Database } from '../db/database.ts'
import { count, defineStatement, int, ints, type RowOf, text, uuid, uuids } from '../db/statement.ts'

const FOUND = { epoch: int, seq: count, event_id: uuid, kind: text, logged_ms: count }

/** The leaf of the event that `told` selects. */
const selectLeaf = (from: string) => `
  select l.epoch, l.seq, l.event_id, l.kind, l.logged_ms from ${from}
  join log_leaves l on l.org_id = :org_id and l.event_id = told.event_id`

const ofEvent = defineStatement(
  'log.find_leaf_of_event',
  { org_id: uuid, event_id: uuid },
  FOUND,
  `select l.epoch, l.seq, l.event_id, l.kind, l.logged_ms from log_leaves l
   where l.org_id = :org_id and l.event_id = :event_id`,
)

export type FoundLeaf = RowOf<typeof ofEvent>

const atIndex = defineStatement(
  'log.find_leaf_at_index',
  { org_id: uuid, index: count },
  FOUND,
  `select l.epoch, l.seq, l.event_id, l.kind, l.logged_ms from log_heads h
   join log_leaves l on l.org_id = h.org_id and l.epoch = h.epoch and l.seq = :index
   where h.org_id = :org_id`,
)

const ofAttestation = defineStatement(
  'log.find_leaf_of_attestation',
  { org_id: uuid, attestation_id: uuid, wire_id: text, end_id: uuid },
  FOUND,
  selectLeaf(`attestations a cross join lateral (
     select e.event_id from events e
     where e.org_id = :org_id and e.trail_id = a.trail_id and e.event_id > :attestation_id and e.event_id < :end_id
       and e.data ->> 'attestation_id' = :wire_id
     order by e.event_id limit 1) told`).concat(`
   where a.org_id = :org_id and a.attestation_id = :attestation_id`),
)

const ofReport = defineStatement(
  'log.find_leaf_of_artifact_report',
  { org_id: uuid, report_id: uuid, wire_id: text, end_id: uuid },
  FOUND,
  selectLeaf(`artifact_reports r
   join artifacts a on a.org_id = r.org_id and a.artifact_id = r.artifact_id
   cross join lateral (
     select e.event_id from events e
     where e.org_id = :org_id and e.flow_id = a.flow_id and e.event_id > :report_id and e.event_id < :end_id
       and e.data ->> 'report_id' = :wire_id
     order by e.event_id limit 1) told`).concat(`
   where r.org_id = :org_id and r.report_id = :report_id`),
)

// Reporting a trail again changes it: the last of these leaves has its current content.
const ofTrail = defineStatement(
  'log.find_leaf_of_trail',
  { org_id: uuid, flow_name: text, trail_name: text },
  FOUND,
  selectLeaf(`trails t cross join lateral (
     select e.event_id from events e
     where e.org_id = :org_id and e.trail_id = t.trail_id and e.kind in ('trail_reported', 'trail_updated')
     order by e.event_id desc limit 1) told`).concat(`
   where t.org_id = :org_id and t.flow_id = flow_meant(:org_id, :flow_name) and t.name = :trail_name`),
)

/** The smallest id with this time. */
const toId = (time: string) =>
  computeFirst(
    `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`,
  )

const ofSnapshot = defineStatement(
  'log.find_leaf_of_snapshot',
  { org_id: uuid, env_name: text, snapshot_index: int },
  FOUND,
  selectLeaf(`snapshots s cross join lateral (
     select e.event_id from events e
     where e.org_id = :org_id and e.environment_id = s.environment_id and e.kind = 'snapshot_taken'
       and e.event_id >= ${toId(`s.created_at - interval '1 minute'`)}
       and e.event_id < ${toId(`s.created_at + interval '1 hour'`)}
       and (e.data ->> 'snapshot_index')::int = :snapshot_index
     order by e.event_id limit 1) told`).concat(`
   where s.org_id = :org_id and s.environment_id = environment_meant(:org_id, :env_name)
     and s.snapshot_index = :snapshot_index`),
)

const ofPolicies = defineStatement(
  'log.list_leaves_of_policies',
  { org_id: uuid, policy_ids: uuids, versions: ints },
  FOUND,
  selectLeaf(`unnest(:policy_ids::uuid[], :versions::int[]) wanted(policy_id, version)
   join policy_versions v on v.org_id = :org_id and v.policy_id = wanted.policy_id and v.version = wanted.version
   cross join lateral (
     select e.event_id from events e
     where e.org_id = :org_id and e.policy_id = v.policy_id and e.kind in ('policy_created', 'policy_updated')
       and e.event_id >= ${toId(`v.created_at - interval '1 minute'`)}
       and e.event_id < ${toId(`v.created_at + interval '1 hour'`)}
       and (e.data ->> 'version')::int = v.version
     order by e.event_id limit 1) told`),
)

/** Finds the leaf in the currently open log. */
export async function findLeafAtIndex(
  db: Database,
  org_id: string,
  index: number,
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, atIndex, { org_id, index }))[0]
}

export async function findLeafOfEvent(
  db: Database,
  org_id: string,
  event_id: string,
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, ofEvent, { org_id, event_id }))[0]
}

/** `end_id` is greater than the id of its event. */
export interface ReportedId {
  id: string
  wire_id: string
  end_id: string
}

export async function findLeafOfAttestation(
  db: Database,
  org_id: string,
  { id: attestation_id, ...bounds }: ReportedId,
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, ofAttestation, { org_id, attestation_id, ...bounds }))[0]
}

export async function findLeafOfReport(
  db: Database,
  org_id: string,
  { id: report_id, ...bounds }: ReportedId,
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, ofReport, { org_id, report_id, ...bounds }))[0]
}

export async function findLeafOfTrail(
  db: Database,
  org_id: string,
  trail: { flow_name: string; trail_name: string },
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, ofTrail, { org_id, ...trail }))[0]
}

export async function findLeafOfSnapshot(
  db: Database,
  org_id: string,
  snapshot: { env_name: string; snapshot_index: number },
): Promise<FoundLeaf | undefined> {
  return (await db.runOnce({ org_id }, ofSnapshot, { org_id, ...snapshot }))[0]
}

/** The leaves that have the texts of these versions. */
export function listLeavesOfPolicies(
  db: Database,
  org_id: string,
  applied: readonly { policy_id: string; version: number }[],
): Promise<FoundLeaf[]> {
  const policy_ids = applied.map(({ policy_id }) => policy_id)
  const versions = applied.map(({ version }) => version)
  return db.runOnce({ org_id }, ofPolicies, { org_id, policy_ids, versions })
}
