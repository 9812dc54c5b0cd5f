// Attaches, detaches and replaces the policies of an environment, which the caller has locked. Added policies are
// locked too, so that a concurrent change or archiving of a policy either sees this environment or is seen here.
import type { Db } from '../../../db/database.ts'
import { isRoleAtLeast } from '../../../domain/roles.ts'
import type { EvaluationTools } from '../../../evaluation/evaluate-artifacts.ts'
import { evaluateEnvironment } from '../../../evaluation/evaluate-environment.ts'
import { type EventInput, type RequestContext, recordEvents } from '../../../events/record.ts'
import { invalid, roleRequired } from '../../../lib/errors.ts'
import { formatInput } from '../../../lib/sentences.ts'
import type { CallerOrg } from '../../operation.ts'
import { noSuchPolicy } from '../../shared/policy-problems.ts'
import { LOGICAL } from '../members/change.ts'
import * as policyStore from './store.ts'

export type PolicyContext = RequestContext & { readonly org: CallerOrg }

interface EnvironmentRef {
  environment_id: string
  name: string
}

export function refuseLogical({ name, type }: { name: string; type: string }): void {
  if (type !== LOGICAL) return
  const sentence = 'A logical environment has no policies of its own; attach them to its members'
  throw invalid({ policy_names: `${sentence} [input: ${formatInput(name)}]` })
}

/**
 * Replaces the policies of the environment, in this order; records nothing if they stay the same. A snapshotter may PUT
 * an environment, but must not choose its policies.
 */
export async function setPolicies(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  environment: EnvironmentRef,
  names: readonly string[],
): Promise<void> {
  const requested = await requirePolicies(tx, request.org, names)
  const attached = await listAttached(tx, request, environment)
  const changes = {
    added: excludePolicies(requested, attached),
    removed: excludePolicies(attached, requested),
  }
  const isChanged = changes.added.length + changes.removed.length > 0
  if (isChanged && !isMember(request)) throw roleRequired()
  await applyChanges(tx, request, tools, environment, changes)
  const { environment_id } = environment
  const policy_ids = getIds(requested)
  if (policy_ids.length > 1 && isMember(request)) {
    await policyStore.orderAttached(tx, request.org.org_id, { environment_id, policy_ids })
  }
}

function isMember({ org }: PolicyContext): boolean {
  return isRoleAtLeast(org.role, 'member')
}

/** Detaches all policies, whatever the role of the caller: a restored environment starts without any. */
export async function detachAll(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  environment: EnvironmentRef,
): Promise<void> {
  const removed = await listAttached(tx, request, environment)
  await applyChanges(tx, request, tools, environment, { added: [], removed })
}

/** Attaches policies that are not attached yet. */
export async function addPolicies(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  environment: EnvironmentRef,
  names: readonly string[],
): Promise<void> {
  const requested = await requirePolicies(tx, request.org, names)
  const attached = await listAttached(tx, request, environment)
  await applyChanges(tx, request, tools, environment, {
    added: excludePolicies(requested, attached),
    removed: [],
  })
}

/** Detaches policies that are attached. */
export async function removePolicies(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  environment: EnvironmentRef,
  names: readonly string[],
): Promise<void> {
  const requested = await requirePolicies(tx, request.org, names)
  const attached = await listAttached(tx, request, environment)
  const others = excludePolicies(attached, requested)
  await applyChanges(tx, request, tools, environment, {
    added: [],
    removed: excludePolicies(attached, others),
  })
}

/** Each policy once, in the order of the names. */
async function requirePolicies(
  tx: Db,
  org: CallerOrg,
  names: readonly string[],
): Promise<policyStore.NamedPolicy[]> {
  const found = await policyStore.listPoliciesByName(tx, org.org_id, names)
  const byName = new Map(found.map(policy => [policy.name, policy]))
  return [...new Set(names)].map(name => {
    const policy = byName.get(name)
    if (!policy) throw noSuchPolicy(name, org.name)
    return policy
  })
}

function listAttached(tx: Db, { org }: PolicyContext, { environment_id }: EnvironmentRef) {
  return policyStore.listAttachedPolicies(tx, org.org_id, environment_id)
}

function excludePolicies(policies: policyStore.NamedPolicy[], others: policyStore.NamedPolicy[]) {
  const ids = new Set(others.map(({ policy_id }) => policy_id))
  return policies.filter(({ policy_id }) => !ids.has(policy_id))
}

interface Changes {
  added: policyStore.NamedPolicy[]
  removed: policyStore.NamedPolicy[]
}

async function applyChanges(
  tx: Db,
  request: PolicyContext,
  tools: EvaluationTools,
  { environment_id, name: environment_name }: EnvironmentRef,
  { added, removed }: Changes,
): Promise<void> {
  if (added.length === 0 && removed.length === 0) return
  const { org, caller, now } = request
  await refuseArchived(tx, org, added)
  if (removed.length > 0) {
    await policyStore.detachFromEnvironment(tx, org.org_id, { environment_id, policy_ids: getIds(removed) })
  }
  if (added.length > 0) {
    const attaching = { environment_id, policy_ids: getIds(added), attached_by: caller.name, now }
    await policyStore.attachToEnvironment(tx, org.org_id, attaching)
  }
  const toEvent =
    (kind: 'policy_attached' | 'policy_detached') =>
    ({ policy_id, name: policy_name }: policyStore.NamedPolicy): EventInput => {
      const data = { environment_name, policy_name }
      return { kind, environment_id, policy_id, data }
    }
  const events = [...removed.map(toEvent('policy_detached')), ...added.map(toEvent('policy_attached'))]
  await recordEvents(tx, request, tools.ids, events)
  await evaluateEnvironment(tx, request, tools, { environment_id, cause: 'policies' })
}

/** Locks the policies first, so that nobody archives one that is about to be attached. */
async function refuseArchived(tx: Db, org: CallerOrg, added: policyStore.NamedPolicy[]): Promise<void> {
  if (added.length === 0) return
  const locked = await policyStore.lockPoliciesShared(tx, org.org_id, getIds(added))
  const archived = locked.filter(({ archived_at }) => archived_at !== null).map(({ name }) => name)
  if (archived.length === 0) return
  const sentences = archived.map(name => `Policy '${name}' is archived in organization '${org.name}'`)
  throw invalid({ policy_names: `${sentences.join('; ')} [input: ${formatInput(archived)}]` })
}

function getIds(policies: policyStore.NamedPolicy[]): string[] {
  return policies.map(({ policy_id }) => policy_id)
}
