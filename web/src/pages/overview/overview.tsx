// The first look: how every environment is doing, what changed, and what needs somebody.
import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { ChangesOfLastDay } from './changes.tsx'
import { EnvironmentCards } from './environment-cards.tsx'
import { EndingKeys, FailedDeliveries } from './warnings.tsx'

export function OverviewPage() {
  const { org } = useParams({ from: '/$org' })
  return (
    <Stack gap="xl">
      <Title order={1} className="long-name">
        {org}
      </Title>
      <EnvironmentCards org={org} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <ChangesOfLastDay org={org} />
        <Stack gap="xl">
          <FailedDeliveries org={org} />
          <EndingKeys org={org} />
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}
