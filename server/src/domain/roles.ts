// Who may do what: the four roles, each allowed everything the one before it is. Every operation names the least
// role it needs, so the role × route table is the list of operations itself.

export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return ROLES.some(role => role === text)
}

export function roleSuffices(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed)
}
