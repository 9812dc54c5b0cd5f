// The role with which a credential acts: never more than its maker has now. A service account acts with the lesser of
// its own role and its owner's, a SCIM token only while whoever answers for it is an admin.
import { isRoleAtLeast, pickLesserRole, type Role } from './roles.ts'

/** What the accounts of a person who has left may do at most, until their keys stop. */
const ROLE_AFTER_LEAVING: Role = 'member'

/** The owner of a service account; null if the organization owns it. */
export type AccountOwner = {
  /** The owner's role in the organization now, or what it was when they left; null if nobody knows. */
  role: Role | null
  /** Whether they have left since they became the owner: the keys are going to stop, even if they came back. */
  has_left: boolean
} | null

/** The role with which a service account acts. */
export function decideAccountRole(own: Role, owner: AccountOwner): Role {
  if (owner === null) return own
  const granted = owner.role === null ? own : pickLesserRole(own, owner.role)
  return owner.has_left || owner.role === null ? pickLesserRole(granted, ROLE_AFTER_LEAVING) : granted
}

/** Who answers for a SCIM token; null if the organization does. */
export type TokenOwner = {
  /** The role with which they act now; null if they have no access. */
  role: Role | null
} | null

/** Whether a SCIM token works. It can make admins, so it needs one. */
export function isTokenInForce(owner: TokenOwner): boolean {
  return owner === null || (owner.role !== null && isRoleAtLeast(owner.role, 'admin'))
}
