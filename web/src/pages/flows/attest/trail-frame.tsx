// The frame of the pages that report something about a trail: breadcrumbs, title, role, and the trail itself.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ForRole } from '../../../parts/for-role.tsx'
import { FlowLink, TrailLink } from '../../../parts/links.tsx'
import { Crumbs } from '../../../ui/crumbs.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../../ui/states.tsx'
import { trailQuery } from '../queries.ts'
import type { Trail } from './draft.ts'
import { attestTexts as texts } from './texts.ts'

interface TrailFrameProps {
  params: { org: string; flow: string; trail: string }
  title: string
  /** Describes the change that the page makes. */
  subject: string
  children: (trail: Trail) => ReactNode
}

export function TrailFrame({
  params: { org, flow, trail: name },
  title,
  subject,
  children,
}: TrailFrameProps) {
  const trail = useQuery(trailQuery(org, flow, name))
  return (
    <Stack>
      <Crumbs here={title}>
        <PageLink to="/$org/flows" params={{ org }}>
          {texts.flows}
        </PageLink>
        <FlowLink org={org} flow={flow} />
        <TrailLink org={org} flow={flow} trail={name} />
      </Crumbs>
      <Title order={1}>{title}</Title>
      <ForRole org={org} minRole="member" what={subject}>
        {trail.isPending ? (
          <Loading />
        ) : trail.data === undefined ? (
          <ErrorAlert error={trail.error} />
        ) : trail.data.archived ? (
          <Empty title={texts.attest.archived} />
        ) : (
          children(trail.data)
        )}
      </ForRole>
    </Stack>
  )
}
