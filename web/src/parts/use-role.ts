// What whoever is signed in may do in an org: pages offer what the server would allow.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'
import { formatList } from '../ui/format-list.ts'

/** Each may do what those before it may. */
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** Whoever has the role, in words: `members and admins`. */
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
    /** Whether one may give the role to somebody: never more than one has. */
    hasRole,
  }
}
