// Snapshots of logical environments: they combine the snapshots of their members whenever one of them changes.
import type { Db } from '../db/database.ts'
import type { Cause, ExpiredDecision } from '../domain/snapshot/cause.ts'
import { computeLogicalState } from '../domain/snapshot/compliance.ts'
import { type EventInput, type RequestContext, recordEvents } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { announceSnapshots } from '../notifications/announce.ts'
import {
  insertLogicalSnapshots,
  type LockedEnvironment,
  listMembers,
  lockEnvironments,
  type MemberState,
} from './snapshot-store.ts'
import { hashLogicalStates } from './state-store.ts'

export interface LogicalSnapshotRequest {
  logical_ids: readonly string[]
  cause: Cause
  /** The decisions that caused it, if their expiry is the cause. */
  expired_decisions: readonly ExpiredDecision[]
  /** The member's snapshot that caused the change; null if the list of members changed. */
  changes_of: { environment_id: string; snapshot_index: number } | null
}

/** The request for logical environments whose lists of members changed. */
export function buildMembersRequest(...logical_ids: string[]): LogicalSnapshotRequest {
  return { logical_ids, cause: 'members', expired_decisions: [], changes_of: null }
}

/** Call it after a member's snapshot was taken or the lists of members changed, in the same transaction. */
export async function takeLogicalSnapshots(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { logical_ids, cause, expired_decisions, changes_of }: LogicalSnapshotRequest,
): Promise<void> {
  if (logical_ids.length === 0) return
  const { org_id } = context.org
  const locked = await lockEnvironments(tx, org_id, logical_ids)
  const members = await listMembers(tx, org_id, logical_ids)
  const taken = locked.flatMap(logical => {
    const own = members.filter(({ logical_id }) => logical_id === logical.environment_id)
    // Before any member has reported there is nothing to show.
    if (logical.latest_index === 0 && own.every(({ snapshot_index }) => snapshot_index === 0)) return []
    return [combineMembers(logical, own, context.now)]
  })
  if (taken.length === 0) return
  const snapshots = taken.map(({ snapshot }) => snapshot)
  await insertLogicalSnapshots(tx, org_id, snapshots, {
    cause,
    expired_decisions,
    actor: context.caller.name,
  })
  const states = await hashLogicalStates(tx, org_id, snapshots)
  const events = taken.map(
    ({ logical, snapshot: { environment_id, snapshot_index, compliant, is_partial } }, i): EventInput => {
      const partial = is_partial ? { is_partial } : {}
      const expired = describeExpired(expired_decisions)
      const data = {
        environment_name: logical.name,
        snapshot_index,
        compliant,
        cause,
        ...expired,
        ...partial,
      }
      return { kind: 'snapshot_taken', environment_id, data, contents: { state: states[i] ?? '' } }
    },
  )
  await Promise.all([
    recordEvents(tx, context, ids, events),
    announceSnapshots(
      tx,
      context,
      ids,
      taken.map(({ logical, snapshot: { environment_id, snapshot_index, created_at, compliant } }) => ({
        environment_id,
        snapshot_index,
        created_at,
        before: logical.state,
        after: compliant,
      })),
      changes_of,
    ),
  ])
}

/** The event's data about expired decisions; empty if there are none. The trail of each has its own event. */
export function describeExpired(expired_decisions: readonly ExpiredDecision[]): Record<string, unknown> {
  return expired_decisions.length === 0 ? {} : { expired_decisions }
}

/** The next snapshot of a logical environment. Times never go back, whatever the clock does. */
function combineMembers(logical: LockedEnvironment, members: readonly MemberState[], now: Date) {
  const { last_changed_at } = logical
  const snapshot = {
    environment_id: logical.environment_id,
    snapshot_index: logical.latest_index + 1,
    created_at: last_changed_at && last_changed_at > now ? last_changed_at : now,
    compliant: computeLogicalState(members.map(({ state }) => state)),
    is_partial: members.some(({ is_partial }) => is_partial),
    ...sumCounts(members),
    members: members.map(({ environment_id, snapshot_index }) => ({ environment_id, snapshot_index })),
  }
  return { logical, snapshot }
}

function sumCounts(members: readonly MemberState[]) {
  const sumField = (field: 'compliant_count' | 'non_compliant_count' | 'unknown_count') =>
    members.reduce((sum, member) => sum + member[field], 0)
  return {
    compliant_count: sumField('compliant_count'),
    non_compliant_count: sumField('non_compliant_count'),
    unknown_count: sumField('unknown_count'),
  }
}
