// The role of the signed-in user in an organization, so that pages offer only what the server allows.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'
import { formatList } from '../ui/format-list.ts'
import { partsTexts as texts } from './texts.ts'

/** From the lowest to the highest. */
export const ROLES = ['reader', 'auditor', 'snapshotter', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The word for a role; an unknown role stays as it is. */
export const formatRole = (role: string): string => texts.roles[role as Role] ?? role

/** Roles to choose from. */
export const ROLE_CHOICES = ROLES.map(value => ({ value, label: formatRole(value) }))

/** The roles with what each can do. */
export const explainRoles = <R extends Role>(roles: readonly R[]) =>
  roles.map(value => ({ value, label: texts.explainedRole(formatRole(value), texts.roleHelp[value]) }))

/** For each role, the roles that may do the same. */
const SUFFICIENT: Record<Role, readonly Role[]> = {
  reader: ROLES,
  auditor: ['auditor', 'admin'],
  snapshotter: ['snapshotter', 'member', 'admin'],
  member: ['member', 'admin'],
  admin: ['admin'],
}

/** The highest role that both include: with it, a service account of a person acts. */
export const pickLesserRole = (one: Role, other: Role): Role =>
  ROLES.findLast(role => SUFFICIENT[role].includes(one) && SUFFICIENT[role].includes(other)) ?? 'reader'

/** The role and all higher ones in words: `members and admins`. */
export function formatRolesFrom(minRole: Role): string {
  return formatRoles(SUFFICIENT[minRole])
}

/** The same for read access: auditors see everything. */
export function formatRolesThatSee(minRole: Role): string {
  return formatRoles(ROLES.filter(role => maySee(role, minRole)))
}

const formatRoles = (roles: readonly Role[]) => formatList(roles.map(role => `${formatRole(role)}s`))
export const maySee = (role: Role, minRole: Role) => role === 'auditor' || SUFFICIENT[minRole].includes(role)

export function useRole(org: string) {
  const { data } = useQuery(sessionQuery)
  const role = data?.orgs.find(({ name }) => name === org)?.role as Role | undefined
  const hasRole = (minRole: Role) => role !== undefined && SUFFICIENT[minRole].includes(role)
  return {
    isAdmin: hasRole('admin'),
    isMember: hasRole('member'),
    isSnapshotter: hasRole('snapshotter'),
    /** Also decides which roles the user can give to others: none above their own. */
    hasRole,
    /** Whether the user may see what this role may change. */
    canSee: (minRole: Role) => role !== undefined && maySee(role, minRole),
  }
}
