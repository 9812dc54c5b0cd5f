// Shows its children only if the organization uses controls, and otherwise explains who can switch them on.
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { organizationQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { controlTexts as texts } from './texts.ts'

/** Undefined while loading. True if the request fails: the page itself then shows the error. */
export function useHasControls(org: string): boolean | undefined {
  const { isPending, data } = useQuery(organizationQuery(org))
  return isPending ? undefined : !data || data.features.controls === true
}

interface WithControlsProps {
  org: string
  /** The title of the page while the children, which know a better one, are hidden. */
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
    <Empty title={texts.switchedOff.title}>
      {texts.switchedOff.effect(org)}{' '}
      {isAdmin ? (
        <>
          {texts.switchedOff.forAdmins}{' '}
          <PageLink to="/$org/settings/organization" params={{ org }}>
            {texts.switchedOff.settings}
          </PageLink>
          .
        </>
      ) : (
        texts.switchedOff.forOthers
      )}
    </Empty>
  )
}
