// Pages about controls: where an organization does without them, they say so, and who could change that.
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { organizationQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, Loading } from '../../ui/states.tsx'

/** Undefined until it is known. Where it cannot be found out, the page itself will say what is wrong. */
export function useHasControls(org: string): boolean | undefined {
  const { isPending, data } = useQuery(organizationQuery(org))
  return isPending ? undefined : !data || data.features.controls === true
}

interface WithControlsProps {
  org: string
  /** Of the page, where only what is inside knows a better one. */
  title?: string
  children: ReactNode
}

export function WithControls({ org, title, children }: WithControlsProps) {
  const { isAdmin } = useRole(org)
  const hasControls = useHasControls(org)
  if (hasControls === undefined) return <Loading />
  if (hasControls) return children
  return (
    <>
      {title !== undefined && (
        <Title order={1} className="fingerprint">
          {title}
        </Title>
      )}
      <SwitchedOff org={org} isAdmin={isAdmin} />
    </>
  )
}

function SwitchedOff({ org, isAdmin }: { org: string; isAdmin: boolean }) {
  return (
    <Empty title="Controls are switched off">
      {org} does without controls: policies can still ask for decisions, by any name.{' '}
      {isAdmin ? (
        <>
          You can switch them on in the{' '}
          <PageLink to="/$org/settings/organization" params={{ org }}>
            settings of the organization
          </PageLink>
          .
        </>
      ) : (
        'An admin of the organization can switch them on in its settings.'
      )}
    </Empty>
  )
}
