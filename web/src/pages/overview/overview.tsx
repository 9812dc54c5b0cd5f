// The overview of an organization: the state of its environments, recent changes, and what needs attention.
import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { ChangesOfLastDay } from './changes.tsx'
import { EnvironmentCards } from './environment-cards.tsx'
import { GettingStarted } from './getting-started.tsx'
import { shownEnvironmentsQuery } from './queries.ts'
import { DecisionsToConfirm, ExpiringKeys, FailingNotifications, UnboundEvidence } from './warnings.tsx'

export function OverviewPage() {
  const { org } = useParams({ from: '/$org' })
  const environments = useQuery(shownEnvironmentsQuery(org))
  return (
    <Stack gap="xl">
      <Title order={1} className="long-name">
        {org}
      </Title>
      {environments.isPending ? (
        <Loading />
      ) : environments.error ? (
        <ErrorAlert error={environments.error} />
      ) : environments.data.total_count + environments.data.archived_count === 0 ? (
        <GettingStarted org={org} />
      ) : (
        <>
          <EnvironmentCards org={org} found={environments.data} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
            <ChangesOfLastDay org={org} />
            <Stack gap="xl">
              <DecisionsToConfirm org={org} />
              <UnboundEvidence org={org} />
              <FailingNotifications org={org} />
              <ExpiringKeys org={org} />
            </Stack>
          </SimpleGrid>
        </>
      )}
    </Stack>
  )
}
