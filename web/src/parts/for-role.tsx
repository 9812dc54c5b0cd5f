// Shows a page only to the roles that can use it, and tells everyone else which role they need.
import type { ReactNode } from 'react'
import { Empty } from '../ui/states.tsx'
import { partsTexts as texts } from './texts.ts'
import { formatRolesFrom, formatRolesThatSee, useRole } from './use-role.ts'

interface ForRoleProps {
  org: string
  /** The lowest role that can use the page. */
  minRole: 'admin' | 'member' | 'snapshotter'
  /** Describes what the page changes or shows. */
  what: string
  verb?: 'change' | 'see'
  children: ReactNode
}

export function ForRole({ org, minRole, what, verb = 'change', children }: ForRoleProps) {
  const { hasRole, canSee } = useRole(org)
  const isForSeeing = verb === 'see'
  if (isForSeeing ? canSee(minRole) : hasRole(minRole)) return children
  const roles = isForSeeing ? formatRolesThatSee(minRole) : formatRolesFrom(minRole)
  return <Empty title={texts.role.required(roles, verb, what)}>{texts.role.askAdmin}</Empty>
}
