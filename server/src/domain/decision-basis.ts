// A decision of two persons holds only if the second one decides the same as the first: about the same things, on the
// same basis, and while the first one may still decide.
import { type Decision, type Duties, findDutyProblem } from './duties.ts'
import type { Role } from './roles.ts'

/** What a decision is about: ids in place of names, and the other values that both requests must have. */
export type SubjectIds = Readonly<Record<string, unknown>>

/** The evidence that an override replaces, as it is at the first request. */
export interface OverrideBasis {
  kind: 'override'
  attestation_name: string
  /** One for each target. Null is nothing: no evidence yet, or no artifact yet. */
  replaces: readonly { artifact_id: string | null; attestation_id: string | null }[]
}

/** What an allow-list entry replaces, and the policies that it overrules. */
export interface AllowBasis {
  kind: 'allow'
  entry_id: string | null
  policies: readonly PolicyInForce[]
}

export interface PolicyInForce {
  policy_id: string
  name: string
  version: number
}

export type DecisionBasis = OverrideBasis | AllowBasis

export interface DecisionRequest {
  /** Null in decisions of earlier versions. */
  subject_ids: SubjectIds | null
  basis: DecisionBasis | null
}

export interface FirstPerson {
  name: string
  /** Null if the person is no longer a member. */
  role: Role | null
  groups: readonly string[]
}

/** Why the first person's request no longer counts, in one sentence; undefined if it does. */
export function findLapse(
  { name, role, groups }: FirstPerson,
  {
    first,
    now,
    duties,
    decision,
  }: {
    first: DecisionRequest
    now: { subject_ids: SubjectIds; basis: DecisionBasis }
    duties: Duties
    decision: Decision
  },
): string | undefined {
  if (role === null) return `${name} is no longer a member of this organization`
  // The least role for such decisions, as their operations require it.
  const required = { ...duties, decision_role: duties.decision_role ?? 'member' }
  if (findDutyProblem(decision, required, { role, kind: 'user', groups }) !== undefined)
    return `${name} may no longer make such decisions in this organization`
  if (!first.subject_ids || !first.basis)
    return 'An earlier version of the service stored the request, without what it was based on'
  return findOtherSubject(name, first.subject_ids, now.subject_ids) ?? findOtherBasis(first.basis, now.basis)
}

const SAME_NAME: Readonly<Record<string, string>> = {
  environment_id: 'the environment',
  flow_id: 'the flow',
  trail_id: 'the trail',
}

/** Called for requests that name the same; only what the names stand for can differ, and the commit. */
function findOtherSubject(person: string, first: SubjectIds, now: SubjectIds): string | undefined {
  const keys = [...new Set([...Object.keys(first), ...Object.keys(now)])]
  const other = keys.find(key => !isSame(first[key], now[key]))
  if (other === undefined) return undefined
  const renamed = SAME_NAME[other]
  if (renamed !== undefined) return `The name of ${renamed} belongs to another one than when ${person} asked`
  return other === 'git_commit'
    ? `${person} asked for another commit`
    : `${person} asked for another ${other.replaceAll('_', ' ')}`
}

function findOtherBasis(first: DecisionBasis, now: DecisionBasis): string | undefined {
  if (first.kind === 'override' && now.kind === 'override') return findOtherEvidence(first, now)
  if (first.kind === 'allow' && now.kind === 'allow') return findOtherRules(first, now)
  return 'It was about another kind of decision'
}

function findOtherEvidence(first: OverrideBasis, now: OverrideBasis): string | undefined {
  const earlier = new Map(first.replaces.map(each => [each.artifact_id, each.attestation_id]))
  const later = new Map(now.replaces.map(each => [each.artifact_id, each.attestation_id]))
  const isSameTargets = earlier.size === later.size && [...later.keys()].every(id => earlier.has(id))
  if (!isSameTargets) return `Other artifacts have '${now.attestation_name}' now`
  const isSameEvidence = [...later].every(([id, attestation_id]) => earlier.get(id) === attestation_id)
  return isSameEvidence ? undefined : `'${now.attestation_name}' was reported or overridden since`
}

function findOtherRules(first: AllowBasis, now: AllowBasis): string | undefined {
  if (first.entry_id !== now.entry_id) return 'The allow-list entry of the artifact has changed since'
  const earlier = new Map(first.policies.map(policy => [policy.policy_id, policy]))
  const later = new Map(now.policies.map(policy => [policy.policy_id, policy]))
  for (const { policy_id, name, version } of later.values()) {
    const before = earlier.get(policy_id)
    if (!before) return `Policy '${name}' was attached to the environment since`
    if (before.version !== version)
      return `Policy '${name}' has changed from version ${before.version} to version ${version} since`
  }
  const detached = [...earlier.values()].find(({ policy_id }) => !later.has(policy_id))
  return detached && `Policy '${detached.name}' was detached from the environment since`
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
