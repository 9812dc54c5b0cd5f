// Pages that only some may use: the others read why, instead of being refused at the end.
import type { ReactNode } from 'react'
import { Empty } from '../ui/states.tsx'
import { useRole } from './use-role.ts'

interface ForRoleProps {
  org: string
  /** The least role that may. */
  least: 'admin' | 'member'
  /** What they would change. */
  what: string
  children: ReactNode
}

export function ForRole({ org, least, what, children }: ForRoleProps) {
  const { isAdmin, isMember } = useRole(org)
  if (least === 'admin' ? isAdmin : isMember) return children
  return <Empty title={`Only ${least}s can change ${what}`}>Ask an admin of the organization.</Empty>
}
