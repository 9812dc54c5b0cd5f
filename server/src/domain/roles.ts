// Who may do what: the four roles, each allowed everything the one before it is. Every operation names the least role it
// needs. The expected role of each is written down a second time, in server/test/roles.ts, so that a test can compare.

export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return ROLES.some(role => role === text)
}

export function isRoleAtLeast(actual: Role, needed: Role): boolean {
  return ROLES.indexOf(actual) >= ROLES.indexOf(needed)
}
