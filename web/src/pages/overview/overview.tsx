// The first look: how every environment is doing.
import { Stack, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { EnvironmentTable } from '../environments/list.tsx'

export function OverviewPage() {
  const { org } = useParams({ from: '/$org' })
  return (
    <Stack>
      <Title order={1}>{org}</Title>
      <EnvironmentTable org={org} />
    </Stack>
  )
}
