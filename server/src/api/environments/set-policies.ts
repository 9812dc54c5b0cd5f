// Which policies an environment is judged by: attaching, detaching and replacing them. The caller holds the environment.
// A policy that is added is held as well, so that whoever changes or archives it sees the environment, or is seen by it.
import type { Db } from '../../db/database.ts'
import { roleSuffices } from '../../domain/roles.ts'
import { type Occasion, record } from '../../events/record.ts'
import { judgeNow } from '../../judging/judge.ts'
import { invalid, lacksRole } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import { shown } from '../../lib/sentences.ts'
import type { CallerOrg } from '../operation.ts'
import { noSuchPolicy } from '../policies/problems.ts'
import * as policyStore from '../policies/store.ts'
import { LOGICAL } from './members.ts'
import { touchEnvironment } from './store.ts'

type PolicyOccasion = Occasion & { readonly org: CallerOrg }

interface HeldEnvironment {
  environment_id: string
  name: string
}

export function refuseLogical({ name, type }: { name: string; type: string }): void {
  if (type !== LOGICAL) return
  const sentence = 'A logical environment has no policies of its own; name one that it includes'
  throw invalid({ policy_names: `${sentence} [input: ${shown(name)}]` })
}

/**
 * Makes exactly these the policies of the environment, in this order; nothing is told when they are. Who may report to an environment, and
 * so PUT it, may not choose by what it is judged.
 */
export async function setPolicies(
  tx: Db,
  request: PolicyOccasion,
  ids: Ids,
  environment: HeldEnvironment,
  names: readonly string[],
): Promise<void> {
  const wanted = await policiesOf(tx, request.org, names)
  const attached = await attachedTo(tx, request, environment)
  const changes = { added: without(wanted, attached), removed: without(attached, wanted) }
  const isChanged = changes.added.length + changes.removed.length > 0
  if (isChanged && !isMember(request)) throw lacksRole()
  await change(tx, request, ids, environment, changes)
  const { environment_id } = environment
  const policy_ids = idsOf(wanted)
  if (policy_ids.length > 1 && isMember(request)) {
    await policyStore.orderAttached(tx, request.org.org_id, { environment_id, policy_ids })
  }
}

function isMember({ org }: PolicyOccasion): boolean {
  return roleSuffices(org.role, 'member')
}

/** What is attached, whoever asks: for an environment that comes back from the archive without it. */
export async function detachAll(
  tx: Db,
  request: PolicyOccasion,
  ids: Ids,
  environment: HeldEnvironment,
): Promise<void> {
  const removed = await attachedTo(tx, request, environment)
  await change(tx, request, ids, environment, { added: [], removed })
}

/** Attaches what is not attached yet. */
export async function addPolicies(
  tx: Db,
  request: PolicyOccasion,
  ids: Ids,
  environment: HeldEnvironment,
  names: readonly string[],
): Promise<void> {
  const wanted = await policiesOf(tx, request.org, names)
  const attached = await attachedTo(tx, request, environment)
  await change(tx, request, ids, environment, { added: without(wanted, attached), removed: [] })
}

/** Detaches what is attached. */
export async function removePolicies(
  tx: Db,
  request: PolicyOccasion,
  ids: Ids,
  environment: HeldEnvironment,
  names: readonly string[],
): Promise<void> {
  const unwanted = await policiesOf(tx, request.org, names)
  const attached = await attachedTo(tx, request, environment)
  const others = without(attached, unwanted)
  await change(tx, request, ids, environment, { added: [], removed: without(attached, others) })
}

/** Each once, in the order in which they are named. */
async function policiesOf(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
): Promise<policyStore.NamedPolicy[]> {
  const found = await policyStore.policiesNamed(tx, org.org_id, names)
  const byName = new Map(found.map(policy => [policy.name, policy]))
  return [...new Set(names)].map(name => {
    const policy = byName.get(name)
    if (!policy) throw noSuchPolicy(name, org.name)
    return policy
  })
}

function attachedTo(tx: Db, { org }: PolicyOccasion, { environment_id }: HeldEnvironment) {
  return policyStore.policiesAttachedTo(tx, org.org_id, environment_id)
}

function without(policies: policyStore.NamedPolicy[], others: policyStore.NamedPolicy[]) {
  const ids = new Set(others.map(({ policy_id }) => policy_id))
  return policies.filter(({ policy_id }) => !ids.has(policy_id))
}

interface Changes {
  added: policyStore.NamedPolicy[]
  removed: policyStore.NamedPolicy[]
}

async function change(
  tx: Db,
  request: PolicyOccasion,
  ids: Ids,
  { environment_id, name: environment_name }: HeldEnvironment,
  { added, removed }: Changes,
): Promise<void> {
  if (added.length === 0 && removed.length === 0) return
  const { org, caller, now } = request
  await refuseArchived(tx, org, added)
  if (removed.length > 0) {
    await policyStore.detachFromEnvironment(tx, org.org_id, { environment_id, policy_ids: idsOf(removed) })
  }
  if (added.length > 0) {
    const attaching = { environment_id, policy_ids: idsOf(added), attached_by: caller.name, now }
    await policyStore.attachToEnvironment(tx, org.org_id, attaching)
  }
  const tell = async (kind: 'policy_attached' | 'policy_detached', policies: policyStore.NamedPolicy[]) => {
    for (const { policy_id, name: policy_name } of policies) {
      const data = { environment_name, policy_name }
      await record(tx, request, ids, { kind, environment_id, policy_id, data })
    }
  }
  await tell('policy_detached', removed)
  await tell('policy_attached', added)
  await touchEnvironment(tx, org.org_id, environment_id, now)
  await judgeNow(tx, request, ids, { environment_id, cause: 'policies' })
}

/** Holds them while it looks: nobody archives what is about to be attached. */
async function refuseArchived(tx: Db, org: CallerOrg, added: policyStore.NamedPolicy[]): Promise<void> {
  if (added.length === 0) return
  const held = await policyStore.sharePolicies(tx, org.org_id, idsOf(added))
  const archived = held.filter(({ archived_at }) => archived_at !== null).map(({ name }) => name)
  if (archived.length === 0) return
  const sentences = archived.map(name => `Policy '${name}' is archived in organization '${org.name}'`)
  throw invalid({ policy_names: `${sentences.join('; ')} [input: ${shown(archived)}]` })
}

function idsOf(policies: policyStore.NamedPolicy[]): string[] {
  return policies.map(({ policy_id }) => policy_id)
}
