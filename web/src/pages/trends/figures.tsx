// The figures of a whole period: how often, how fast, and how many failed. Unknown values are called unknown,
// never zero.
import { Card, SimpleGrid, Text } from '@mantine/core'
import { formatDuration } from '../../ui/duration.ts'
import type { DeploymentTrends } from './queries.ts'
import { deploymentTrendTexts as texts } from './texts.ts'

const DAY_SECONDS = 86_400
const perDayFormat = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })
const percentFormat = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

export const formatRate = (rate: number | null) =>
  rate === null ? texts.figures.unknown : percentFormat.format(rate)

export const formatLeadTime = (seconds: number | null) =>
  seconds === null ? texts.figures.unknown : formatDuration(Math.max(0, seconds))

export function Figures({ trends: { from, to, total } }: { trends: DeploymentTrends }) {
  const { deployments, lead_times, lead_time_p50, lead_time_p90, failed, unknown } = total
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} component="section" aria-label={texts.figures.label}>
      <Figure
        name={texts.figures.deployments}
        value={deployments.toLocaleString()}
        notes={[texts.figures.perDay(perDayFormat.format(deployments / ((to - from) / DAY_SECONDS)))]}
      />
      <Figure
        name={texts.figures.leadTime}
        value={formatLeadTime(lead_time_p50)}
        notes={[
          ...(lead_time_p90 === null ? [] : [texts.figures.p90(formatLeadTime(lead_time_p90))]),
          texts.figures.leadKnown(lead_times, deployments),
        ]}
      />
      <Figure
        name={texts.figures.failureRate}
        value={formatRate(total.change_failure_rate)}
        notes={[
          texts.figures.failures(failed, deployments - unknown),
          texts.figures.causes(total.non_compliant, total.rolled_back),
          ...(unknown > 0 ? [texts.figures.unknownOutcome(unknown)] : []),
        ]}
      />
    </SimpleGrid>
  )
}

function Figure({ name, value, notes }: { name: string; value: string; notes: readonly string[] }) {
  return (
    <Card withBorder>
      <Text size="sm">{name}</Text>
      <Text size="xl" fw={620}>
        {value}
      </Text>
      <Text size="sm" c="dimmed">
        {notes.join('; ')}
      </Text>
    </Card>
  )
}
