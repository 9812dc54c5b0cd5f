// Changing which environments a logical one combines. Who is to be a member is held before the logical one is: a report
// holds its environment first, too, and whatever it changes is then in the next logical snapshot.
import type { Db } from '../../db/database.ts'
import { type Occasion, record } from '../../events/record.ts'
import { byMembers, takeLogicalSnapshot } from '../../judging/logical.ts'
import { invalid } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import type { CallerOrg } from '../operation.ts'
import * as memberStore from './member-store.ts'
import { live } from './problems.ts'
import * as store from './store.ts'

export const LOGICAL = 'logical'

/** Holds the environments of these names, which must be physical ones; `fieldOf` says where the input named each. */
export async function holdMembers(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
  fieldOf: (place: number) => string,
): Promise<memberStore.NamedEnvironment[]> {
  if (names.length === 0) return []
  const wanted = [...new Set(names)]
  const found = await memberStore.lockEnvironments(tx, org.org_id, wanted)
  const byName = new Map(found.map(environment => [environment.wanted, environment]))
  return wanted.map(env_name => {
    const member = live(byName.get(env_name), org.name, env_name)
    if (member.type !== LOGICAL) return member
    throw invalid({ [fieldOf(names.indexOf(env_name))]: `The environment '${env_name}' is itself logical` })
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

/** Tells of members that were changed: event, time and snapshot. */
export async function membersChanged(
  tx: Db,
  occasion: Occasion,
  ids: Ids,
  { environment_id, name }: Logical,
  changes: MemberChanges,
): Promise<void> {
  const data = { environment_name: name, ...changes }
  await store.touchEnvironment(tx, occasion.org.org_id, environment_id, occasion.now)
  await record(tx, occasion, ids, { kind: 'environment_members_changed', environment_id, data })
  await takeLogicalSnapshot(tx, occasion, ids, byMembers(environment_id))
}

/** Makes these the members of a logical environment; nothing when they are not given. Says what that changed. */
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
  const namesOf = (is_added: boolean) =>
    changed.filter(one => one.is_added === is_added).map(({ name }) => name)
  return { added: namesOf(true), removed: namesOf(false) }
}
