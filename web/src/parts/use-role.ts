// The role of the signed-in user in an organization, so that pages offer only what the server allows.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'
import { formatList } from '../ui/format-list.ts'

/** Each role includes the ones before it. */
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The role and all higher ones in words: `members and admins`. */
export function formatRolesFrom(minRole: Role): string {
  return formatList(ROLES.slice(ROLES.indexOf(minRole)).map(role => `${role}s`))
}

export function useRole(org: string) {
  const { data } = useQuery(sessionQuery)
  const role = data?.orgs.find(({ name }) => name === org)?.role
  const rank = ROLES.indexOf(role as Role)
  const hasRole = (minRole: Role) => rank >= ROLES.indexOf(minRole)
  return {
    isAdmin: hasRole('admin'),
    isMember: hasRole('member'),
    isSnapshotter: hasRole('snapshotter'),
    /** Also decides which roles the user can give to others: none above their own. */
    hasRole,
  }
}
