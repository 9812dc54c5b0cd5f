// Separation of duties: who may decide that something non-compliant counts as compliant, and about whose work.
import { isRoleAtLeast, type Role } from './roles.ts'

const DECISIONS = ['override', 'approve', 'allow'] as const
export type Decision = (typeof DECISIONS)[number]

const ACTION_LABELS: Record<Decision, string> = {
  override: 'Overriding an attestation',
  approve: 'Approving an artifact',
  allow: 'Adding to an allow-list',
}

/** An organization's requirements for people who decide; an omitted field requires nothing. */
export interface Duties {
  decision_role?: Role
  /** Groups provisioned by SCIM; empty if no group is required. */
  decision_groups?: readonly string[]
}

export interface Decider {
  role: Role
  kind: 'user' | 'service_account' | 'ci_job' | 'anonymous'
  /** Names of the caller's groups. */
  groups: readonly string[]
}

/** Why the caller may not decide; undefined if the caller may. */
export function findDutyProblem(
  decision: Decision,
  { decision_role, decision_groups = [] }: Duties,
  { role, kind, groups }: Decider,
): string | undefined {
  const action = ACTION_LABELS[decision]
  if (decision_role && !isRoleAtLeast(role, decision_role)) {
    return `${action} needs the role '${decision_role}' in this organization`
  }
  if (decision_groups.length === 0) return undefined
  const listed = decision_groups.map(name => `'${name}'`).join(', ')
  if (kind !== 'user')
    return `${action} is allowed only for people in the groups ${listed} of this organization, not for service accounts or CI jobs`
  const required = decision_groups.map(name => name.toLowerCase())
  if (groups.some(name => required.includes(name.toLowerCase()))) return undefined
  return `${action} is allowed only for people in the groups ${listed} of this organization, and you are in none of them`
}
