// Snapshots of logical environments: the combination of their members' snapshots at the moment any of them changed.
import type { Db } from '../db/database.ts'
import { logicalState } from '../domain/snapshot/compliance.ts'
import { type Occasion, record } from '../events/record.ts'
import type { Ids } from '../lib/ids.ts'
import { announceSnapshot } from '../notifying/announce.ts'
import {
  holdForSnapshot,
  insertLogicalSnapshot,
  logicalEnvironmentsOf,
  type MemberStanding,
  membersOf,
} from './snapshot-store.ts'

/** Call it after a snapshot of a physical environment was taken, in the same transaction. */
export async function takeSnapshotsOfParents(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { cause, ...changes_of }: { environment_id: string; snapshot_index: number; cause: string },
): Promise<void> {
  for (const logical_id of await logicalEnvironmentsOf(tx, occasion.org.org_id, changes_of.environment_id)) {
    await takeLogicalSnapshot(tx, occasion, ids, { logical_id, cause, changes_of })
  }
}

export interface LogicalTaking {
  logical_id: string
  cause: string
  /** The snapshot of a member by which it changed; null when the members themselves were changed. */
  changes_of: { environment_id: string; snapshot_index: number } | null
}

/** The members of a logical environment were changed. */
export function byMembers(logical_id: string): LogicalTaking {
  return { logical_id, cause: 'members', changes_of: null }
}

/** Call it after the members of a logical environment were changed, in the same transaction. */
export async function takeLogicalSnapshot(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { logical_id, cause, changes_of }: LogicalTaking,
): Promise<void> {
  const { org_id } = occasion.org
  const logical = await holdForSnapshot(tx, org_id, logical_id)
  if (!logical) return
  const members = await membersOf(tx, org_id, logical_id)
  // Before any member has reported there is nothing to show.
  if (logical.latest_index === 0 && members.every(({ snapshot_index }) => snapshot_index === 0)) return
  const { last_changed_at } = logical
  const compliant = logicalState(members.map(({ state }) => state))
  const snapshot_index = logical.latest_index + 1
  const created_at = last_changed_at && last_changed_at > occasion.now ? last_changed_at : occasion.now
  const numbered = { environment_id: logical_id, snapshot_index, created_at }
  await insertLogicalSnapshot(tx, org_id, {
    ...numbered,
    compliant,
    ...totals(members),
    members: members.map(({ environment_id, snapshot_index }) => ({ environment_id, snapshot_index })),
    cause,
    actor: occasion.caller.name,
  })
  const data = { environment_name: logical.name, snapshot_index, compliant, cause }
  await Promise.all([
    record(tx, occasion, ids, { kind: 'snapshot_taken', environment_id: logical_id, data }),
    announceSnapshot(tx, occasion, ids, {
      ...numbered,
      before: logical.state,
      after: compliant,
      changes_of,
    }),
  ])
}

function totals(members: readonly MemberStanding[]) {
  const total = (field: 'compliant_count' | 'non_compliant_count' | 'unknown_count') =>
    members.reduce((sum, member) => sum + member[field], 0)
  return {
    compliant_count: total('compliant_count'),
    non_compliant_count: total('non_compliant_count'),
    unknown_count: total('unknown_count'),
  }
}
