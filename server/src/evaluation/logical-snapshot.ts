// Snapshots of logical environments: they combine the snapshots of their members whenever one of them changes.
import type { Db } from '../db/database.ts'
import { computeLogicalState } from '../domain/snapshot/compliance.ts'
import { type RequestContext, recordEvent } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { announceSnapshot } from '../notifications/announce.ts'
import {
  insertLogicalSnapshot,
  listLogicalEnvironments,
  listMembers,
  lockEnvironment,
  type MemberState,
} from './snapshot-store.ts'

/** Call it after a snapshot of a physical environment was taken, in the same transaction. */
export async function takeSnapshotsOfParents(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { cause, ...changes_of }: { environment_id: string; snapshot_index: number; cause: string },
): Promise<void> {
  for (const logical_id of await listLogicalEnvironments(tx, context.org.org_id, changes_of.environment_id)) {
    await takeLogicalSnapshot(tx, context, ids, { logical_id, cause, changes_of })
  }
}

export interface LogicalSnapshotRequest {
  logical_id: string
  cause: string
  /** The member's snapshot that caused the change; null if the list of members changed. */
  changes_of: { environment_id: string; snapshot_index: number } | null
}

/** The request for a logical environment whose list of members changed. */
export function buildMembersRequest(logical_id: string): LogicalSnapshotRequest {
  return { logical_id, cause: 'members', changes_of: null }
}

/** Call it after the list of members changed, in the same transaction. */
export async function takeLogicalSnapshot(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { logical_id, cause, changes_of }: LogicalSnapshotRequest,
): Promise<void> {
  const { org_id } = context.org
  const logical = await lockEnvironment(tx, org_id, logical_id)
  if (!logical) return
  const members = await listMembers(tx, org_id, logical_id)
  // Before any member has reported there is nothing to show.
  if (logical.latest_index === 0 && members.every(({ snapshot_index }) => snapshot_index === 0)) return
  const { last_changed_at } = logical
  const compliant = computeLogicalState(members.map(({ state }) => state))
  const snapshot_index = logical.latest_index + 1
  const created_at = last_changed_at && last_changed_at > context.now ? last_changed_at : context.now
  const numbered = { environment_id: logical_id, snapshot_index, created_at }
  await insertLogicalSnapshot(tx, org_id, {
    ...numbered,
    compliant,
    ...sumCounts(members),
    members: members.map(({ environment_id, snapshot_index }) => ({ environment_id, snapshot_index })),
    cause,
    actor: context.caller.name,
  })
  const data = { environment_name: logical.name, snapshot_index, compliant, cause }
  await Promise.all([
    recordEvent(tx, context, ids, { kind: 'snapshot_taken', environment_id: logical_id, data }),
    announceSnapshot(tx, context, ids, {
      ...numbered,
      before: logical.state,
      after: compliant,
      changes_of,
    }),
  ])
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
