// Coverage over time: how much of the running software had provenance and was compliant, and how many
// environments were.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatState } from '../../parts/state-badge.tsx'
import { ExactTime } from '../../parts/time.tsx'
import chartStyles from '../../ui/chart/chart.module.css'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import type { TrendsSearch } from '../trends/search.ts'
import { Section } from '../trends/section.tsx'
import { type CoverageBucket, type CoverageTrends, coverageTrendsQuery } from './queries.ts'
import { type Chart, type Look, StackedChart } from './stacked-chart.tsx'
import { coverageTexts as texts } from './texts.ts'

const CHART_HEIGHT = 240

interface CoverageViewProps {
  org: string
  search: TrendsSearch
  /** Whether to show how many environments had which state. */
  hasEnvironments: boolean
  /** An error that the page already shows, so that it does not appear twice. */
  shownError: Error | null
}

export function CoverageView({ org, search, hasEnvironments, shownError }: CoverageViewProps) {
  const trends = useQuery(coverageTrendsQuery(org, search))
  if (trends.isPending) return <Loading rows={2} height={CHART_HEIGHT} />
  if (trends.error)
    return trends.error.message === shownError?.message ? null : <ErrorAlert error={trends.error} />
  return (
    <Stack aria-busy={trends.isPlaceholderData}>
      <Found trends={trends.data} hasEnvironments={hasEnvironments} />
    </Stack>
  )
}

function Found({ trends, hasEnvironments }: { trends: CoverageTrends; hasEnvironments: boolean }) {
  if (trends.buckets.every(({ artifacts }) => artifacts === null))
    return <Empty title={texts.nothing}>{texts.nothingHint}</Empty>
  return (
    <>
      {hasEnvironments && (
        <Section title={texts.environments.title} intro={texts.environments.intro}>
          <StackedChart chart={ENVIRONMENTS} trends={trends} />
        </Section>
      )}
      <Section title={texts.provenance.title} intro={texts.provenance.intro}>
        <StackedChart chart={PROVENANCE} trends={trends} />
        {trends.counted_since > trends.from && (
          <Text size="sm" c="dimmed">
            {texts.provenance.countedSince} <ExactTime at={trends.counted_since} />
          </Text>
        )}
      </Section>
      <Section title={texts.artifacts.title} intro={texts.artifacts.intro}>
        <StackedChart chart={ARTIFACTS} trends={trends} />
      </Section>
      {!trends.has_all_environments && (
        <Text size="sm" c="dimmed">
          {texts.environments.notAll}
        </Text>
      )}
    </>
  )
}

const HATCHED: Look = prefix => ({ className: 'band-cell', fill: `url(#${prefix}-hatched)` })
const LINED: Look = prefix => ({ className: 'band-cell', fill: `url(#${prefix}-lined)` })
const DOTTED: Look = prefix => ({ className: 'band-cell', fill: `url(#${prefix}-dotted)` })
const COVERED: Look = () => ({ className: 'band-cell band-compliant' })
const NEUTRAL: Look = () => ({ className: chartStyles.neutral ?? '' })

type Figures<Name extends 'environments' | 'artifacts' | 'provenance'> = NonNullable<CoverageBucket[Name]>

const ENVIRONMENTS: Chart<Figures<'environments'>> = {
  name: texts.environments.name,
  noun: 'environment',
  isShare: false,
  read: ({ environments }) => environments,
  parts: [
    { name: formatState('NON-COMPLIANT'), look: HATCHED, read: ({ non_compliant }) => non_compliant },
    { name: formatState('STALE'), look: LINED, read: ({ stale }) => stale },
    { name: formatState('UNKNOWN'), look: DOTTED, read: ({ unknown }) => unknown },
    { name: formatState('COMPLIANT'), look: COVERED, read: ({ compliant }) => compliant },
  ],
  table: { open: texts.environments.table, share: texts.environments.share, none: texts.noReports },
}

const PROVENANCE: Chart<Figures<'provenance'>> = {
  name: texts.provenance.name,
  noun: 'artifact',
  isShare: true,
  read: ({ provenance }) => provenance,
  parts: [
    {
      name: texts.provenance.without,
      look: HATCHED,
      read: ({ without_provenance }) => without_provenance,
    },
    { name: texts.provenance.unknown, look: DOTTED, read: ({ unknown }) => unknown },
    { name: texts.provenance.with, look: COVERED, read: ({ with_provenance }) => with_provenance },
  ],
  table: {
    open: texts.provenance.table,
    share: texts.provenance.share,
    none: texts.provenance.notCounted,
  },
}

const ARTIFACTS: Chart<Figures<'artifacts'>> = {
  name: texts.artifacts.name,
  noun: 'artifact',
  isShare: true,
  read: ({ artifacts }) => artifacts,
  parts: [
    { name: formatState('NON-COMPLIANT'), look: HATCHED, read: ({ non_compliant }) => non_compliant },
    { name: formatState('UNKNOWN'), look: DOTTED, read: ({ unknown }) => unknown },
    { name: texts.artifacts.withoutPolicy, look: NEUTRAL, read: ({ without_policy }) => without_policy },
    { name: formatState('COMPLIANT'), look: COVERED, read: ({ compliant }) => compliant },
  ],
  table: { open: texts.artifacts.table, share: texts.artifacts.share, none: texts.noReports },
}
