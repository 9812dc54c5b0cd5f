// Changes the members of logical environments. Members are locked before the logical environment, in the same order as
// for a report, so the next logical snapshot contains every change that a concurrent report makes.
import type { Db } from '../../../db/database.ts'
import { buildMembersRequest, takeLogicalSnapshot } from '../../../evaluation/logical-snapshot.ts'
import { type RequestContext, recordEvent } from '../../../events/record.ts'
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

/** Records changed members: modification time, event and snapshot. */
export async function recordMemberChanges(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment_id, name }: Logical,
  changes: MemberChanges,
): Promise<void> {
  const data = { environment_name: name, ...changes }
  await store.touchEnvironment(tx, context.org.org_id, environment_id, context.now)
  await recordEvent(tx, context, ids, { kind: 'environment_members_changed', environment_id, data })
  await takeLogicalSnapshot(tx, context, ids, buildMembersRequest(environment_id))
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
