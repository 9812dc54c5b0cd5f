// The trends of an environment: its compliance over time, with its policy changes marked, and its coverage.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PeriodSwitch } from '../../../parts/period-switch.tsx'
import { DEFAULT_PERIOD } from '../../../parts/periods.ts'
import { dropUndefined } from '../../../ui/search-params.ts'
import { ErrorAlert, Loading } from '../../../ui/states.tsx'
import { CoverageView } from '../../coverage-trends/coverage.tsx'
import { type Place, useChangeSearch } from '../place.ts'
import { ComplianceChart } from './compliance-chart.tsx'
import { groupChanges, PolicyChangesTable } from './policy-changes.tsx'
import { environmentTrendsQuery } from './queries.ts'
import { trendTexts as texts } from './texts.ts'

const CHART_HEIGHT = 240

export function EnvironmentTrends({ place }: { place: Place }) {
  const change = useChangeSearch()
  const { period } = place.search
  const trends = useQuery(environmentTrendsQuery(place.org, place.environment, period ?? DEFAULT_PERIOD))
  return (
    <Stack aria-busy={trends.isPlaceholderData} className={trends.isPlaceholderData ? 'is-old' : ''}>
      <Group justify="space-between">
        <Title order={2} size="h3">
          {texts.compliance.title}
        </Title>
        <PeriodSwitch value={period} onChange={chosen => change({ period: chosen })} />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.compliance.intro}
      </Text>
      {trends.isPending ? (
        <Loading rows={1} height={CHART_HEIGHT} />
      ) : trends.error ? (
        <ErrorAlert error={trends.error} />
      ) : (
        <Found place={place} {...trends.data} />
      )}
      <CoverageView
        org={place.org}
        search={dropUndefined({ period, environment: place.environment })}
        hasEnvironments={false}
        shownError={trends.error}
      />
    </Stack>
  )
}

type Answers = Awaited<ReturnType<NonNullable<ReturnType<typeof environmentTrendsQuery>['queryFn']>>>

function Found({ place, timeline, policies }: Answers & { place: Place }) {
  const marked = groupChanges(policies)
  return (
    <>
      <ComplianceChart timeline={timeline} marked={marked} />
      <PolicyChangesTable org={place.org} policies={policies} marked={marked} />
    </>
  )
}
