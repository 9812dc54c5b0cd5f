// Pages that only some may use: the others read why, instead of being refused at the end.
import type { ReactNode } from 'react'
import { Empty } from '../ui/states.tsx'
import { atLeast, useRole } from './use-role.ts'

interface ForRoleProps {
  org: string
  /** The least role that may. */
  least: 'admin' | 'member' | 'snapshotter'
  /** What they would change, or see. */
  what: string
  act?: 'change' | 'see'
  children: ReactNode
}

export function ForRole({ org, least, what, act = 'change', children }: ForRoleProps) {
  const { reaches } = useRole(org)
  if (reaches(least)) return children
  return <Empty title={`Only ${atLeast(least)} can ${act} ${what}`}>Ask an admin of the organization.</Empty>
}
