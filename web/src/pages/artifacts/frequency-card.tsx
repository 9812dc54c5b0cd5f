// How often a flow deploys to an environment, and the lead time from commit to start.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../parts/schemas.ts'
import { formatDuration } from '../../ui/duration.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { Frequency } from './frequency.tsx'
import { frequencyQuery } from './queries.ts'
import { repoTexts as texts } from './texts-repos.ts'

interface FrequencyCardProps {
  org: string
  environment: string
  flow: string
  days: number
}

export function FrequencyCard({ org, environment, flow, days }: FrequencyCardProps) {
  const frequency = useQuery(frequencyQuery(org, environment, flow, days))
  return (
    <Card withBorder>
      <Title order={3} size="h5" className="fingerprint">
        {texts.release.route(flow, environment)}
      </Title>
      {frequency.isPending ? (
        <Loading rows={2} />
      ) : frequency.error ? (
        <ErrorAlert error={frequency.error} />
      ) : (
        <Content frequency={frequency.data} />
      )}
    </Card>
  )
}

function Content({ frequency }: { frequency: Schemas['DeploymentFrequency'] }) {
  const { lead_time } = frequency
  return (
    <Stack gap="xs">
      <Frequency noun="deployment" title={texts.release.perDay} frequency={frequency} />
      <Group grow gap="xs">
        <Percentile name={texts.release.leadTimeP50} seconds={lead_time.p50} />
        <Percentile name={texts.release.p90} seconds={lead_time.p90} />
        <Percentile name={texts.release.p99} seconds={lead_time.p99} />
      </Group>
    </Stack>
  )
}

function Percentile({ name, seconds }: { name: string; seconds: number | null }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" fw={600}>
        {formatDuration(seconds)}
      </Text>
    </div>
  )
}
