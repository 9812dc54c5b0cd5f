// A link to another snapshot of the same environment that keeps the filters.
import type { ReactNode } from 'react'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import type { Place } from './place.ts'

interface StepLinkProps {
  place: Place
  /** Null for the latest snapshot. */
  index: number | null
  children: ReactNode
}

export function StepLink({ place: { org, environment, search }, index, children }: StepLinkProps) {
  const kept = dropUndefined({ ...search, page: undefined })
  if (index === null)
    return (
      <PageLink
        to="/$org/environments/$environment"
        params={{ org, environment }}
        search={kept}
        resetScroll={false}
      >
        {children}
      </PageLink>
    )
  return (
    <PageLink
      to="/$org/environments/$environment/snapshots/$expression"
      params={{ org, environment, expression: String(index) }}
      search={kept}
      resetScroll={false}
    >
      {children}
    </PageLink>
  )
}
