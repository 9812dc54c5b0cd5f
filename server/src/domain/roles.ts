// The five roles. Every operation names the lowest role it needs, and whether auditors may call it as well.
// server/test/roles.ts lists the expected role of each operation a second time, so that a test can compare.

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

/** Whether the role is enough for what needs the other one. */
export function isRoleAtLeast(actual: Role, needed: Role): boolean {
  return INCLUDED[actual].includes(needed)
}

/** For somebody who has several: the highest one wins. */
export function rankRole(role: Role): number {
  return ROLES.indexOf(role)
}

/** Whether the role shows what is personal or about access: mail addresses, who joined, and the like. */
export function isAdminOrAuditor(role: Role): boolean {
  return isRoleAtLeast(role, 'auditor')
}
