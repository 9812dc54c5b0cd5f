// Other trails on which the same artifact was reported, in this flow or in others.
import { Card, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArchivedBadge } from '../../parts/archived.tsx'
import { FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { trailsQuery } from '../flows/queries.ts'
import { artifactTexts as texts } from './texts.ts'

export function OtherTrails({ org, artifact }: { org: string; artifact: Schemas['Artifact'] }) {
  const { fingerprint, flow_name, trail_name } = artifact
  const live = useQuery(trailsQuery(org, { fingerprint, archived: false }))
  const archived = useQuery(trailsQuery(org, { fingerprint, archived: true }))
  const data = [...(live.data?.data ?? []), ...(archived.data?.data ?? [])]
  const others = data.filter(trail => trail.flow_name !== flow_name || trail.name !== trail_name)
  if (others.length === 0) return null
  const total = (live.data?.pagination.total ?? 0) + (archived.data?.pagination.total ?? 0)
  const left_out = total - data.length
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="xs">
        {texts.facts.alsoReportedOn}
      </Title>
      <List>
        {others.map(trail => (
          <List.Item key={trail.id}>
            <TrailLink org={org} flow={trail.flow_name} trail={trail.name} /> {texts.facts.ofFlow}{' '}
            <FlowLink org={org} flow={trail.flow_name} />{' '}
            <StateBadge by="template" state={trail.compliance_state} /> {trail.archived && <ArchivedBadge />}
          </List.Item>
        ))}
      </List>
      {left_out > 0 && (
        <Text size="sm" c="dimmed">
          {texts.facts.moreTrails(left_out)}
        </Text>
      )}
    </Card>
  )
}
