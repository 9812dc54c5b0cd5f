// Which role the name of a group gives its members: the last word of it, so that `waybill-acme-admin`, `Admins` and
// `eu-members` mean what they say. Of several groups the highest role wins.
import { isRole, ROLES, type Role } from './roles.ts'

const LAST_WORD = /(?:^|-)(admin|member|snapshotter|reader)s?$/

/** Null when the name names no role: such a group gives none. */
export function parseGroupRole(display_name: string): Role | null {
  const word = LAST_WORD.exec(display_name.toLowerCase())?.[1] ?? ''
  return isRole(word) ? word : null
}

/** The role of somebody in these groups; without any, the org's own choice, else the least. */
export function pickHighestRole(group_roles: readonly string[], default_role: string | null): Role {
  const highest = ROLES.findLast(role => group_roles.includes(role))
  if (highest) return highest
  return default_role !== null && isRole(default_role) ? default_role : 'reader'
}
