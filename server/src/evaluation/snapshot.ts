// Takes a snapshot of a locked environment: the rows, the trail events of artifacts that started or stopped, the
// event, the notifications to subscribers, and the snapshots of logical environments that include it. All in the
// caller's transaction.
import type { Db } from '../db/database.ts'
import type { Cause, ExpiredDecision } from '../domain/snapshot/cause.ts'
import type { ReportView } from '../domain/snapshot/reported.ts'
import type { RequestContext } from '../events/record.ts'
import { insertSnapshotEvents, type NewSnapshotEvent } from '../events/store.ts'
import type { Ids } from '../lib/ids.ts'
import { announceSnapshots } from '../notifications/announce.ts'
import { buildConfirmation } from './confirmed.ts'
import type { EvaluatedFlow } from './evaluate-artifacts.ts'
import { describeExpired, takeLogicalSnapshots } from './logical-snapshot.ts'
import type { AttachedPolicy } from './rules-store.ts'
import type { StoppedArtifact } from './running-store.ts'
import { insertRunningSnapshot } from './snapshot-rows-store.ts'
import { type LockedEnvironment, toReportedRow } from './snapshot-store.ts'
import { insertStarted, type StartedRow } from './started-store.ts'
import { hashRunningState } from './state-store.ts'

export interface StartedArtifact {
  row: StartedRow
  flows: readonly EvaluatedFlow[]
}

export interface SnapshotRequest {
  environment: LockedEnvironment
  policies: readonly AttachedPolicy[]
  cause: Cause
  /** The decisions that caused it, if their expiry is the cause. */
  expired_decisions?: readonly ExpiredDecision[]
  started: readonly StartedArtifact[]
  stopped: readonly StoppedArtifact[]
  /** The report that makes the snapshot, if one does. */
  report?: { sha256: string; artifacts: { length: number }; view: ReportView }
}

export interface TakenSnapshot {
  snapshot_index: number
  created_at: Date
}

/** The index and time of the next snapshot. Times never go back, whatever the clock does. */
function computeNextSnapshot({ latest_index, last_changed_at }: LockedEnvironment, now: Date): TakenSnapshot {
  const created_at = last_changed_at && last_changed_at > now ? last_changed_at : now
  return { snapshot_index: latest_index + 1, created_at }
}

export async function takeSnapshot(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  request: SnapshotRequest,
): Promise<TakenSnapshot> {
  const { environment, policies, cause, started, stopped, report, expired_decisions = [] } = request
  const { environment_id, name } = environment
  const { org_id } = context.org
  const taken = computeNextSnapshot(environment, context.now)
  const is_partial = report ? report.view.missing !== null : environment.partial_since !== null
  const { compliant, logical_ids, has_subscribers } = await insertRunningSnapshot(tx, org_id, {
    environment_id,
    ...taken,
    applied_policies: policies.map(({ policy_id, version }) => ({ policy_id, version })),
    cause,
    expired_decisions,
    actor: context.caller.name,
    exited: stopped.map(({ flows, ...row }) => row),
    starting: started.map(({ row }) => row.compliant),
    is_partial,
    now: context.now,
    report: report ? { ...toReportedRow(report, context.now), missing: report.view.missing } : null,
  })
  const { snapshot_index } = taken
  await saveStarted(tx, context, request, taken)
  const data = {
    environment_name: name,
    snapshot_index,
    compliant,
    cause,
    ...describeExpired(expired_decisions),
    ...describeView(report?.view, is_partial),
  }
  const confirmation = buildConfirmation(environment)
  const contents = { state: await hashRunningState(tx, org_id, { environment_id, snapshot_index }) }
  await Promise.all([
    insertSnapshotEvents(tx, org_id, context, [
      ...(confirmation ? [{ ...confirmation, event_id: ids.next(), flow_id: null, trail_id: null }] : []),
      ...buildTrailEvents(request, taken, ids),
      {
        event_id: ids.next(),
        kind: 'snapshot_taken',
        flow_id: null,
        trail_id: null,
        environment_id,
        data,
        contents,
      },
    ]),
    has_subscribers &&
      announceSnapshots(
        tx,
        context,
        ids,
        [{ environment_id, ...taken, before: environment.state, after: compliant }],
        { environment_id, snapshot_index },
      ),
  ])
  const changes_of = { environment_id, snapshot_index }
  await takeLogicalSnapshots(tx, context, ids, { logical_ids, cause, expired_decisions, changes_of })
  return taken
}

/** The event's data about the view; empty for a complete one that states nothing. */
function describeView(view: ReportView | undefined, is_partial: boolean): Record<string, unknown> {
  const { observed_at = null, reporter = null, missing = null } = view ?? {}
  return {
    ...(observed_at ? { observed_at: observed_at.getTime() / 1000 } : {}),
    ...(reporter ? { reporter } : {}),
    ...(is_partial ? { is_partial } : {}),
    ...(missing ? { missing } : {}),
  }
}

async function saveStarted(
  tx: Db,
  context: RequestContext,
  { environment, started, report }: SnapshotRequest,
  { snapshot_index, created_at }: TakenSnapshot,
): Promise<void> {
  if (started.length === 0) return
  const running = report?.artifacts.length ?? started.length
  await insertStarted(tx, context.org.org_id, {
    environment_id: environment.environment_id,
    snapshot_index,
    started_at: created_at,
    actor: context.caller.name,
    requested_at: context.now,
    // From half of the artifacts on, one request for all is cheaper than one for each.
    evaluates_all: started.length > 1 && started.length * 2 >= running,
    rows: started.map(({ row }) => row),
  })
}

/** The trail events of the artifacts that started or stopped. */
function buildTrailEvents(
  { environment, started, stopped }: SnapshotRequest,
  taken: TakenSnapshot,
  ids: Ids,
): NewSnapshotEvent[] {
  const place = {
    environment_id: environment.environment_id,
    environment_name: environment.name,
    snapshot_index: taken.snapshot_index,
  }
  return [
    ...stopped.flatMap(({ fingerprint, flows }) =>
      flows.map(flow => buildTrailEvent('artifact_stopped_running', ids, fingerprint, flow, place)),
    ),
    ...started.flatMap(({ row: { fingerprint, instance_count }, flows }) =>
      flows.map(flow =>
        buildTrailEvent('artifact_started_running', ids, fingerprint, flow, {
          ...place,
          replica_number: instance_count,
        }),
      ),
    ),
  ]
}

function buildTrailEvent(
  kind: NewSnapshotEvent['kind'],
  ids: Ids,
  artifact_fingerprint: string,
  { flow_id, trail_id, template_reference_name }: EvaluatedFlow,
  place: Record<string, unknown> & { environment_id: string },
): NewSnapshotEvent {
  const { environment_id, ...shown } = place
  const data = { artifact_fingerprint, template_reference_name, ...shown }
  return { event_id: ids.next(), kind, flow_id, trail_id, environment_id, data }
}
