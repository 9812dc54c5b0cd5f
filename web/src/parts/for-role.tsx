// Pages that only some may use: the others read why, instead of being refused at the end.
import type { ReactNode } from 'react'
import { Empty } from '../ui/states.tsx'
import { formatRolesFrom, useRole } from './use-role.ts'

interface ForRoleProps {
  org: string
  /** The least role that may. */
  minRole: 'admin' | 'member' | 'snapshotter'
  /** What they would change, or see. */
  what: string
  verb?: 'change' | 'see'
  children: ReactNode
}

export function ForRole({ org, minRole, what, verb = 'change', children }: ForRoleProps) {
  const { hasRole } = useRole(org)
  if (hasRole(minRole)) return children
  return (
    <Empty title={`Only ${formatRolesFrom(minRole)} can ${verb} ${what}`}>
      Ask an admin of the organization.
    </Empty>
  )
}
