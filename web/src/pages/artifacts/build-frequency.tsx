// How often each flow builds a repository.
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FlowLink } from '../../parts/links.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { Frequency } from './frequency.tsx'
import { PeriodSwitch } from './period-switch.tsx'
import { buildFrequencyQuery } from './queries.ts'
import { repoTexts as texts } from './texts-repos.ts'

interface BuildFrequencyProps {
  org: string
  name: string
  days: number
  onDays: (days: number) => void
}

export function BuildFrequency({ org, name, days, onDays }: BuildFrequencyProps) {
  return (
    <Stack>
      <div>
        <PeriodSwitch days={days} onChange={onDays} />
      </div>
      <Title order={2} size="h4">
        {texts.build.frequency}
      </Title>
      <Cards org={org} name={name} days={days} />
    </Stack>
  )
}

function Cards({ org, name, days }: Omit<BuildFrequencyProps, 'onDays'>) {
  const frequency = useQuery(buildFrequencyQuery(org, name, days))
  if (frequency.isPending) return <Loading rows={2} />
  if (frequency.error) return <ErrorAlert error={frequency.error} />
  const { flows } = frequency.data
  if (flows.length === 0) return <Text>{texts.build.noneRecently(days)}</Text>
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
        {flows.map(flow => (
          <Card key={flow.flow_name} withBorder>
            <Title order={3} size="h5" className="fingerprint">
              <FlowLink org={org} flow={flow.flow_name} />
            </Title>
            <Stack gap="xs">
              <Frequency noun="build" title={texts.build.perDay(flow.flow_name)} frequency={flow} />
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {texts.build.counting}
      </Text>
    </>
  )
}
