// The five roles. Every operation names the lowest role it needs, and whether auditors may call it as well.
// server/test/roles.ts repeats the expected role of each operation, so that a test can compare.

/** Each includes the ones before it. */
export const STEPS = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Step = (typeof STEPS)[number]

/** From the lowest to the highest. An auditor reads everything that an admin reads, except secrets, and changes nothing. */
export const ROLES = ['reader', 'auditor', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

const INCLUDED: Record<Role, readonly Role[]> = {
  reader: ['reader'],
  auditor: ['reader', 'auditor'],
  snapshotter: ['reader', 'snapshotter'],
  member: ['reader', 'snapshotter', 'member'],
  admin: ROLES,
}

export function isRole(text: string): text is Role {
  return ROLES.some(role => role === text)
}

/** Whether a role includes the rights of another. */
export function isRoleAtLeast(actual: Role, needed: Role): boolean {
  return INCLUDED[actual].includes(needed)
}

/** The highest role that both include. */
export function pickLesserRole(one: Role, other: Role): Role {
  return ROLES.findLast(role => isRoleAtLeast(one, role) && isRoleAtLeast(other, role)) ?? 'reader'
}

/** For ordering: the highest of several roles wins. */
export function rankRole(role: Role): number {
  return ROLES.indexOf(role)
}

/** Whether the role may see personal and access data: mail addresses, who joined, and the like. */
export function isAdminOrAuditor(role: Role): boolean {
  return isRoleAtLeast(role, 'auditor')
}
