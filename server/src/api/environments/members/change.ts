// Changes the members of logical environments. Members are locked before the logical environment, in the same order as
// for a report, so the next logical snapshot contains every change that a concurrent report makes.
import type { Db } from '../../../db/database.ts'
import { buildMembersRequest, takeLogicalSnapshots } from '../../../evaluation/logical-snapshot.ts'
import { type EventInput, type RequestContext, recordEvents } from '../../../events/record.ts'
import { invalid } from '../../../lib/errors.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { CallerOrg } from '../../operation.ts'
import { requireActive } from '../problems.ts'
import * as store from '../store.ts'
import * as memberStore from './store.ts'

export const LOGICAL = 'logical'

/** Locks environments by name; all must be physical. `getField` returns the input field of each name, for errors. */
export async function lockMembers(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
  getField: (position: number) => string,
): Promise<memberStore.NamedEnvironment[]> {
  if (names.length === 0) return []
  const unique = [...new Set(names)]
  const found = await memberStore.lockEnvironments(tx, org.org_id, unique)
  const byName = new Map(found.map(environment => [environment.wanted, environment]))
  return unique.map(env_name => {
    const member = requireActive(byName.get(env_name), org.name, env_name)
    if (member.type !== LOGICAL) return member
    throw invalid({ [getField(names.indexOf(env_name))]: `The environment '${env_name}' is itself logical` })
  })
}

interface Logical {
  environment_id: string
  name: string
}

export interface MemberChanges {
  added: string[]
  removed: string[]
}

/** Records the changed members of each logical environment: modification time, event and snapshot. */
export async function recordMemberChanges(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  changed: readonly Logical[],
  changes: MemberChanges,
): Promise<void> {
  if (changed.length === 0) return
  const environment_ids = changed.map(({ environment_id }) => environment_id)
  const events = changed.map(({ environment_id, name }): EventInput => {
    const data = { environment_name: name, ...changes }
    return { kind: 'environment_members_changed', environment_id, data }
  })
  await store.touchEnvironments(tx, context.org.org_id, environment_ids, context.now)
  await recordEvents(tx, context, ids, events)
  await takeLogicalSnapshots(tx, context, ids, buildMembersRequest(...environment_ids))
}

/** Replaces the members of a logical environment, if given, and returns the changes, if any. */
export async function replaceMembers(
  tx: Db,
  org_id: string,
  environment_id: string,
  members: readonly memberStore.NamedEnvironment[] | undefined,
): Promise<MemberChanges | undefined> {
  if (!members) return undefined
  const member_ids = [...new Set(members.map(member => member.environment_id))]
  const changed = await memberStore.replaceMembers(tx, org_id, environment_id, member_ids)
  if (changed.length === 0) return undefined
  const getNames = (is_added: boolean) =>
    changed.filter(one => one.is_added === is_added).map(({ name }) => name)
  return { added: getNames(true), removed: getNames(false) }
}
