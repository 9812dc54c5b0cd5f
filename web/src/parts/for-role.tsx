// Shows a page only to the roles that can use it, and tells everyone else which role they need.
import type { ReactNode } from 'react'
import { Empty } from '../ui/states.tsx'
import { partsTexts as texts } from './texts.ts'
import { formatRolesFrom, useRole } from './use-role.ts'

interface ForRoleProps {
  org: string
  /** The lowest role that can use the page. */
  minRole: 'admin' | 'member' | 'snapshotter'
  /** What the page changes or shows. */
  what: string
  verb?: 'change' | 'see'
  children: ReactNode
}

export function ForRole({ org, minRole, what, verb = 'change', children }: ForRoleProps) {
  const { hasRole } = useRole(org)
  if (hasRole(minRole)) return children
  return (
    <Empty title={texts.role.required(formatRolesFrom(minRole), verb, what)}>{texts.role.askAdmin}</Empty>
  )
}
