// What changed in the last day: what was deployed, and, for admins, which rules and people changed.
import { List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { deploymentsOfLastDayQuery, rulesChangedQuery } from './queries.ts'

type AuditEvent = Schemas['AuditEvent']

export function ChangesOfLastDay({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Changed in the last day
      </Title>
      <Stack>
        <Deployments org={org} />
        {isAdmin && <RulesChanged org={org} />}
      </Stack>
    </section>
  )
}

function Deployments({ org }: { org: string }) {
  const deployments = useQuery(deploymentsOfLastDayQuery(org))
  if (deployments.isPending) return <Loading rows={2} />
  if (deployments.error) return <ErrorAlert error={deployments.error} />
  const { deployments: listed, total_count } = deployments.data
  if (listed.length === 0) return <Text c="dimmed">Nothing was deployed.</Text>
  return (
    <div>
      <List size="sm" spacing="xs">
        {listed.map(each => (
          <List.Item key={each.id}>
            <ArtifactLink org={org} flow={each.flow_name} fingerprint={each.artifact_fingerprint}>
              {each.artifact_name}
            </ArtifactLink>{' '}
            started in{' '}
            <SnapshotLink org={org} environment={each.environment_name} index={each.snapshot_index}>
              {each.environment_name}
            </SnapshotLink>{' '}
            <RelativeTime at={each.deployed_at} />
            {each.replaced?.diff_url && (
              <>
                , <ExternalLink href={each.replaced.diff_url}>changes in the code</ExternalLink>
              </>
            )}
          </List.Item>
        ))}
      </List>
      {total_count > listed.length && (
        <Text size="sm" mt="xs">
          and {total_count - listed.length} more, in the logs of the{' '}
          <PageLink to="/$org/environments" params={{ org }}>
            environments
          </PageLink>
        </Text>
      )}
    </div>
  )
}

function RulesChanged({ org }: { org: string }) {
  const changes = useQuery(rulesChangedQuery(org))
  if (changes.isPending) return <Loading rows={2} />
  if (changes.error) return <ErrorAlert error={changes.error} />
  if (changes.data.events.length === 0) return <Text c="dimmed">No rules or members changed.</Text>
  return (
    <List size="sm" spacing="xs">
      {changes.data.events.map(event => (
        <List.Item key={event.id}>
          {event.actor}: {sentenceOf(event)} <RelativeTime at={event.timestamp} />
        </List.Item>
      ))}
    </List>
  )
}

/** What happened, and to what, as far as the event names it. */
function sentenceOf({ kind, data }: AuditEvent): string {
  const named = Object.entries(data)
    .filter(([key, value]) => key.endsWith('name') && typeof value === 'string' && value !== '')
    .map(([, value]) => value)
  return [kind.replaceAll('_', ' '), ...new Set(named)].join(', ')
}
