// Deployment frequency, lead time and change failures, of one flow or of the organization: figures, charts and a table.
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PeriodSwitch } from '../../parts/period-switch.tsx'
import { PER_PAGE } from '../../parts/schemas.ts'
import { ExactTime } from '../../parts/time.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { SuggestFilter } from '../../ui/suggest-filter.tsx'
import { environmentPageQuery } from '../environments/queries.ts'
import { DeploymentChart } from './deployment-chart.tsx'
import { Figures } from './figures.tsx'
import { FiguresTable } from './figures-table.tsx'
import { LeadTimeChart } from './lead-time-chart.tsx'
import { type DeploymentTrends, deploymentTrendsQuery } from './queries.ts'
import type { TrendsSearch } from './search.ts'
import { Section } from './section.tsx'
import { deploymentTrendTexts as texts } from './texts.ts'

const CHART_HEIGHT = 240

interface DeploymentTrendsViewProps {
  org: string
  /** All flows if omitted. */
  flow?: string
  search: TrendsSearch
  onChange: (search: TrendsSearch) => void
}

export function DeploymentTrendsView({ org, flow, search, onChange }: DeploymentTrendsViewProps) {
  const trends = useQuery(deploymentTrendsQuery(org, search, flow))
  const environments = useQuery(environmentPageQuery(org, { sort: 'name' }, PER_PAGE))
  return (
    <Stack aria-busy={trends.isPlaceholderData}>
      <Group justify="space-between" align="end">
        <SuggestFilter
          label={texts.environment}
          value={search.environment}
          suggestions={(environments.data?.environments ?? []).map(({ name }) => name)}
          onChange={environment => onChange(dropUndefined({ ...search, environment }))}
        />
        <PeriodSwitch
          value={search.period}
          onChange={period => onChange(dropUndefined({ ...search, period }))}
        />
      </Group>
      {trends.isPending ? (
        <Loading rows={2} height={CHART_HEIGHT} />
      ) : trends.error ? (
        <ErrorAlert error={trends.error} />
      ) : (
        <Found trends={trends.data} />
      )}
    </Stack>
  )
}

function Found({ trends }: { trends: DeploymentTrends }) {
  if (trends.total.deployments === 0)
    return <Empty title={texts.deployments.none}>{texts.deployments.noneHint}</Empty>
  return (
    <>
      <Figures trends={trends} />
      <Section title={texts.deployments.title} intro={`${texts.deployments.intro} ${texts.failure.intro}`}>
        <DeploymentChart trends={trends} />
      </Section>
      <Section title={texts.lead.title} intro={texts.lead.intro}>
        {trends.total.lead_times === 0 ? <Text>{texts.lead.none}</Text> : <LeadTimeChart trends={trends} />}
      </Section>
      <FiguresTable buckets={trends.buckets} />
      {trends.counted_since > trends.from && (
        <Text size="sm" c="dimmed">
          {texts.deployments.countedSince} <ExactTime at={trends.counted_since} />
        </Text>
      )}
    </>
  )
}
