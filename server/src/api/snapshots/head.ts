// The summary of a snapshot, and the physical snapshots that it consists of.
import type { Db } from '../../db/database.ts'
import { isOverdue } from '../../domain/control/state.ts'
import type { ExpiredDecision } from '../../domain/snapshot/cause.ts'
import { computeCurrentVerdict, isStale } from '../../domain/snapshot/staleness.ts'
import { findUnknownCause } from '../../domain/snapshot/unknown.ts'
import type { CallerOrg } from '../operation.ts'
import { toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { StoredHead } from './problems.ts'
import type { Site } from './render.ts'
import { listMemberHeads } from './store.ts'
import type { Snapshot } from './wire.ts'

/** A snapshot of a physical environment: the requested one, or one of those that a logical environment combines. */
export interface Place {
  environment_id: string
  snapshot_index: number
  applied_policies: readonly { policy_id: string; version: number }[]
  /** False if the previous logical snapshot contained it too, so nothing has happened in it since. */
  is_new: boolean
  /** Only for members of a logical environment. */
  environment_name?: string
}

export async function listPlaces(tx: Db, org: CallerOrg, head: StoredHead): Promise<Place[]> {
  const { environment_id, asked_index: snapshot_index, applied_policies, members } = head
  if (members === null) return [{ environment_id, snapshot_index, applied_policies, is_new: true }]
  return listMemberHeads(tx, org.org_id, { environment_id, snapshot_index, members })
}

/** Without those that exited. */
export function countArtifacts(head: StoredHead): number {
  return head.compliant_count + head.non_compliant_count + head.unknown_count
}

/** With the names from the snapshot; null if something else caused it. */
export function toWireExpired(stored: readonly ExpiredDecision[] | null): Snapshot['expired_decisions'] {
  return (stored ?? []).map(({ decision_id, ...decision }) => ({ id: decision_id, ...decision }))
}

export function toWireHead(
  head: StoredHead,
  { base_url, org }: Site,
  now: Date,
): Omit<Snapshot, 'artifacts' | 'applied_policies'> {
  const is_latest = head.asked_index === head.latest_index
  // Only the latest snapshot can be stale; the verdicts of earlier ones are final.
  const silent_at = is_latest ? head.stale_at : null
  const state = computeCurrentVerdict(head.compliant, silent_at, now)
  const is_stale = isStale(silent_at, now)
  const is_partial = head.is_partial ?? false
  const path = [org, 'environments', head.environment_name, 'snapshots', String(head.asked_index)]
  return {
    index: head.asked_index,
    is_latest,
    environment_name: head.environment_name,
    type: head.type as Snapshot['type'],
    timestamp: toEpoch(head.created_at),
    next_snapshot_timestamp: toEpochOrNull(head.next_created_at),
    compliant: state === true,
    state,
    unknown_because: findUnknownCause({
      verdict: head.compliant,
      has_reported: true,
      is_stale,
      has_policies: head.applied_policies.length > 0,
      is_partial,
      is_overdue: is_latest && isOverdue(head.waiting_since, now),
      member_count: head.members?.length ?? null,
    }),
    is_stale,
    is_partial,
    observed_at: toEpochOrNull(head.observed_at),
    cause: head.cause,
    expired_decisions: toWireExpired(head.expired_decisions),
    reported_by: head.cause === 'report' ? head.actor : null,
    html_url: `${base_url}/${path.map(encodeURIComponent).join('/')}`,
    artifact_compliance_count: {
      true: head.compliant_count,
      false: head.non_compliant_count,
      null: head.unknown_count,
    },
  }
}
