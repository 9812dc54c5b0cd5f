// The four roles; each includes the ones before it. Every operation names the lowest role it needs.
// server/test/roles.ts lists the expected role of each operation a second time, so that a test can compare.

export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return ROLES.some(role => role === text)
}

export function isRoleAtLeast(actual: Role, needed: Role): boolean {
  return ROLES.indexOf(actual) >= ROLES.indexOf(needed)
}
