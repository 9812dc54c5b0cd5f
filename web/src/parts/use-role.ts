// What whoever is signed in may do in an org: pages offer what the server would allow.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'
import { listed } from '../ui/listed.ts'

/** Each may do what those before it may. */
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** Whoever has the role, in words: `members and admins`. */
export function atLeast(least: Role): string {
  return listed(ROLES.slice(ROLES.indexOf(least)).map(role => `${role}s`))
}

export function useRole(org: string) {
  const { data } = useQuery(sessionQuery)
  const role = data?.orgs.find(({ name }) => name === org)?.role
  const rank = ROLES.indexOf(role as Role)
  const reaches = (least: Role) => rank >= ROLES.indexOf(least)
  return {
    isAdmin: reaches('admin'),
    isMember: reaches('member'),
    isSnapshotter: reaches('snapshotter'),
    /** Whether one may give the role to somebody: never more than one has. */
    reaches,
  }
}
