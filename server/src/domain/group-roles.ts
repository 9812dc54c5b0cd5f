// Maps a group name to the role of its members by the last word of the name, as in `waybill-acme-admin`, `Admins` or
// `eu-members`. A member of several groups gets the highest role.
import { isRole, ROLES, type Role } from './roles.ts'

const LAST_WORD = /(?:^|-)(admin|member|snapshotter|auditor|reader)s?$/

/** Null if the name contains no role: the group then grants none. */
export function parseGroupRole(display_name: string): Role | null {
  const word = LAST_WORD.exec(display_name.toLowerCase())?.[1] ?? ''
  return isRole(word) ? word : null
}

/** The highest role of these groups; without any, the organization's default role, or else the lowest role. */
export function pickHighestRole(group_roles: readonly string[], default_role: string | null): Role {
  const highest = ROLES.findLast(role => group_roles.includes(role))
  if (highest) return highest
  return default_role !== null && isRole(default_role) ? default_role : 'reader'
}
