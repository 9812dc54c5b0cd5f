// The only code that adds, changes and removes memberships. The changes of an org are serialized, so its history is
// numbered without gaps and at least one admin always remains.
import type { Db } from '../../db/database.ts'
import type { Role } from '../../domain/roles.ts'
import type { EventKind } from '../../events/kinds.ts'
import { type EventInput, type RequestContext, recordEvent, recordEvents } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { conflict } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import {
  deleteMembership,
  findMembership,
  insertMembershipEvent,
  lockMembers,
  type ResumedAccount,
  resumeKeysOfAccounts,
  saveMembership,
  stopKeysOfAccounts,
} from './membership-store.ts'
import { handOverSponsorship } from './sponsor-store.ts'
import { announceStoppedTokens } from './stopped-tokens.ts'
import { toEpochOrNull } from './wire.ts'

export interface MembershipChange {
  user_id: string
  /** The login name. The history shows the display name instead if there is one. */
  user_name: string
  /** Null to remove. */
  role: Role | null
  source: 'app' | 'scim' | 'invitation' | 'script'
}

/** Every operation request with an org satisfies this. The history shows a person by their display name. */
export interface MembershipContext extends RequestContext {
  readonly caller: { readonly name: string; readonly kind?: string; readonly id?: string }
}

type ChangeKind = 'added' | 'changed' | 'removed'

const EVENT_KIND_OF_CHANGE: Record<ChangeKind, EventKind> = {
  added: 'member_added',
  changed: 'member_role_changed',
  removed: 'member_removed',
}

/** Call it in a transaction scoped to the org, and call `forgetCaller` afterwards. */
export async function changeMembership(
  tx: Db,
  context: MembershipContext,
  ids: Ids,
  change: MembershipChange,
): Promise<'unchanged' | ChangeKind> {
  const { org_id } = context.org
  const { user_id, role } = change
  const org = await lockMembers(tx, org_id)
  assert(org, 'the org of a membership exists')
  const before = await findMembership(tx, org_id, user_id)
  if (before.role === role) return 'unchanged'
  if (before.role === 'admin' && !before.has_other_admin) throw lastAdmin(org.name)
  const kind = classifyChange(before.role, role)
  if (role !== null) await saveMembership(tx, org_id, { user_id, role, now: context.now })
  // Before the member is removed, because the history shows their display name.
  await recordInHistory(tx, context, ids, change, { kind, previous_role: before.role })
  if (role === null) {
    await deleteMembership(tx, org_id, user_id)
    await handOverSponsorship(tx, org_id, user_id)
  }
  await recordEvent(tx, context, ids, {
    kind: EVENT_KIND_OF_CHANGE[kind],
    data: { source: change.source, user: change.user_name, role, previous_role: before.role },
    row_ids: { member: user_id },
  })
  if (role === null) await stopOwnedAccounts(tx, context, ids, { ...change, left_as: before.role })
  if (kind === 'added') {
    const resumed = await resumeKeysOfAccounts(tx, org_id, user_id)
    await recordEvents(tx, context, ids, resumed.map(toResumedEvent))
  }
  if (before.role === 'admin') await announceTokens(tx, context, ids, change)
  return kind
}

function lastAdmin(org_name: string) {
  return conflict(`The last admin of '${org_name}' cannot be removed or demoted`)
}

function classifyChange(before: string | null, after: string | null): ChangeKind {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

/** Service accounts of a leaver keep working for a grace period, in which an admin can assign a new owner. */
async function stopOwnedAccounts(
  tx: Db,
  context: MembershipContext,
  ids: Ids,
  { user_id, user_name, left_as }: MembershipChange & { left_as: string | null },
): Promise<void> {
  const { org, now } = context
  const stopped = await stopKeysOfAccounts(tx, org.org_id, { user_id, role: left_as, now })
  const events = stopped.map(({ service_account_id, service_account, keys_stop_at }): EventInput => {
    const data = { service_account, owner: user_name, keys_stop_at: toEpochOrNull(keys_stop_at) }
    return {
      kind: 'service_account_owner_left',
      data,
      row_ids: { service_account: service_account_id, former_owner: service_account_id },
    }
  })
  await recordEvents(tx, context, ids, events)
}

/** The owner is an active member again. */
export const toResumedEvent = ({ service_account_id, service_account, stopped_at }: ResumedAccount) => ({
  kind: 'service_account_changed' as const,
  data: { service_account, keys_stop_at: null, previous: { keys_stop_at: toEpochOrNull(stopped_at) } },
  row_ids: { service_account: service_account_id },
})

/** Tokens of someone who is no longer an admin stop working; an admin can adopt them. */
async function announceTokens(
  tx: Db,
  context: MembershipContext,
  ids: Ids,
  { user_id, user_name, role }: MembershipChange,
): Promise<void> {
  const { org, now } = context
  const former = { org_id: org.org_id, user_id, user_name, has_left: role === null, now }
  await recordEvents(tx, context, ids, await announceStoppedTokens(tx, ids, former))
}

async function recordInHistory(
  tx: Db,
  context: MembershipContext,
  ids: Ids,
  change: MembershipChange,
  { kind, previous_role }: { kind: ChangeKind; previous_role: string | null },
): Promise<void> {
  const { org, caller, now } = context
  const { user_id, user_name, role, source } = change
  await insertMembershipEvent(tx, org.org_id, {
    event_id: ids.next(),
    kind,
    user_id,
    user_name,
    actor: caller.name,
    actor_id: caller.kind === 'user' ? (caller.id ?? null) : null,
    role,
    previous_role,
    source,
    now,
  })
}
