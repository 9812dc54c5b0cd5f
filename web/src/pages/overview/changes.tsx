// The changes of the last day: deployments and, for admins and auditors, changes to rules and members.
import { List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EventSentence } from '../../parts/event-sentence.tsx'
import { ArtifactLink, SnapshotLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { deploymentsOfLastDayQuery, ruleChangesQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

export function ChangesOfLastDay({ org }: { org: string }) {
  const { canSee } = useRole(org)
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.changes.title}
      </Title>
      <Stack>
        <Deployments org={org} />
        {canSee('admin') && <RuleChanges org={org} />}
      </Stack>
    </section>
  )
}

function Deployments({ org }: { org: string }) {
  const deployments = useQuery(deploymentsOfLastDayQuery(org))
  if (deployments.isPending) return <Loading rows={2} />
  if (deployments.error) return <ErrorAlert error={deployments.error} />
  const { deployments: shown, total_count } = deployments.data
  if (shown.length === 0) return <Text c="dimmed">{texts.changes.noDeployments}</Text>
  return (
    <div>
      <List size="sm" spacing="xs">
        {shown.map(each => (
          <List.Item key={each.id}>
            <ArtifactLink org={org} flow={each.flow_name} fingerprint={each.artifact_fingerprint}>
              {each.artifact_name}
            </ArtifactLink>{' '}
            {texts.changes.startedIn}{' '}
            <SnapshotLink org={org} environment={each.environment_name} index={each.snapshot_index}>
              {each.environment_name}
            </SnapshotLink>{' '}
            <RelativeTime at={each.deployed_at} />
            {each.replaced?.diff_url && (
              <>
                , <ExternalLink href={each.replaced.diff_url}>{texts.changes.codeChanges}</ExternalLink>
              </>
            )}
          </List.Item>
        ))}
      </List>
      {total_count > shown.length && (
        <Text size="sm" mt="xs">
          {texts.changes.more(total_count - shown.length)}{' '}
          <PageLink to="/$org/environments" params={{ org }}>
            {texts.changes.environments}
          </PageLink>
        </Text>
      )}
    </div>
  )
}

function RuleChanges({ org }: { org: string }) {
  const changes = useQuery(ruleChangesQuery(org))
  if (changes.isPending) return <Loading rows={2} />
  if (changes.error) return <ErrorAlert error={changes.error} />
  if (changes.data.events.length === 0) return <Text c="dimmed">{texts.changes.noRuleChanges}</Text>
  return (
    <div>
      <List size="sm" spacing="xs">
        {changes.data.events.map(event => (
          <List.Item key={event.id}>
            <EventSentence org={org} event={event} /> <RelativeTime at={event.timestamp} />
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        <PageLink to="/$org/settings/audit-events" params={{ org }}>
          {texts.changes.allEvents}
        </PageLink>
      </Text>
    </div>
  )
}
