// Figures at several moments as stacked bars, with a legend and a table of the same figures.
import { Group, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { ExactTime } from '../../parts/time.tsx'
import { useTimeZone } from '../../parts/use-time-zone.ts'
import { type Bar, Bars } from '../../ui/chart/bars.tsx'
import { ChartFrame } from '../../ui/chart/frame.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Details } from '../../ui/details.tsx'
import { formatExact, type TimeZone } from '../../ui/local-time.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Patterns, toPatternsPrefix } from '../environments/band-look.tsx'
import type { CoverageBucket, CoverageTrends } from './queries.ts'
import { coverageTexts as texts } from './texts.ts'
import '../environments/environments.css'

/** `prefix` is the prefix of the pattern ids. */
export type Look = (prefix: string) => Bar['parts'][number]['look']

interface ChartPart<Figures> {
  name: string
  look: Look
  read: (figures: Figures) => number
}

export interface Chart<Figures> {
  name: string
  /** The name of the counted things. */
  noun: string
  /** The worst part first, the covered one last. */
  parts: readonly ChartPart<Figures>[]
  /** Null if nothing is known about that time. */
  read: (bucket: CoverageBucket) => Figures | null
  /** Whether the bars show shares instead of numbers. */
  isShare: boolean
  table: { open: string; share: string; none: string }
}

const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
})

export function StackedChart<Figures>({
  chart,
  trends: { from, to, buckets },
}: {
  chart: Chart<Figures>
  trends: CoverageTrends
}) {
  const zone = useTimeZone()
  const prefix = toPatternsPrefix(useId())
  const highest = Math.max(...buckets.map(bucket => sumParts(chart, chart.read(bucket))))
  const latest = buckets.findLast(bucket => chart.read(bucket) !== null) ?? buckets.at(-1)
  return (
    <Stack gap="xs">
      <svg width="0" height="0" aria-hidden="true" focusable="false">
        <Patterns prefix={prefix} />
      </svg>
      <ChartFrame
        label={texts.label(chart.name, latest ? describeBucket(chart, latest, zone) : '')}
        from={from}
        to={to}
        max={chart.isShare ? 1 : highest}
        zone={zone}
        formatValue={chart.isShare ? percent.format : formatWhole}
      >
        {(scales, height) => (
          <Bars
            bars={buckets.map(bucket => toBar(chart, bucket, { prefix, zone }))}
            scales={scales}
            height={height}
          />
        )}
      </ChartFrame>
      <Legend parts={chart.parts} prefix={prefix} />
      <Details title={chart.table.open}>
        <DataTable
          caption={chart.name}
          columns={buildColumns(chart)}
          rows={buckets}
          getKey={bucket => String(bucket.to)}
        />
      </Details>
    </Stack>
  )
}

const formatWhole = (value: number) => (Number.isInteger(value) ? value.toLocaleString() : '')

function sumParts<Figures>({ parts }: Chart<Figures>, figures: Figures | null): number {
  return figures === null ? 0 : parts.reduce((sum, { read }) => sum + read(figures), 0)
}

function toBar<Figures>(
  chart: Chart<Figures>,
  bucket: CoverageBucket,
  { prefix, zone }: { prefix: string; zone: TimeZone },
): Bar {
  const figures = chart.read(bucket)
  const divisor = chart.isShare ? Math.max(1, sumParts(chart, figures)) : 1
  return {
    from: bucket.from,
    to: bucket.to,
    parts:
      figures === null
        ? []
        : chart.parts.map(({ name, look, read }) => ({
            name,
            value: read(figures) / divisor,
            look: look(prefix),
          })),
    label: describeBucket(chart, bucket, zone),
  }
}

function describeBucket<Figures>(chart: Chart<Figures>, bucket: CoverageBucket, zone: TimeZone): string {
  const figures = chart.read(bucket)
  const time = formatExact(bucket.to, zone)
  if (figures === null) return texts.barWithout(time)
  const parts = chart.parts
    .toReversed()
    .filter(({ read }) => read(figures) > 0)
    .map(({ name, read }) => texts.part(read(figures), name))
  return texts.bar(time, sumParts(chart, figures), chart.noun, parts.join(', '))
}

function Legend<Figures>({ parts, prefix }: { parts: readonly ChartPart<Figures>[]; prefix: string }) {
  return (
    <Group gap="md" aria-hidden="true">
      {parts.toReversed().map(({ name, look }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <svg width="16" height="12" focusable="false" aria-hidden="true">
            <rect width="16" height="12" {...look(prefix)} />
          </svg>
          <Text size="xs">{name}</Text>
        </Group>
      ))}
    </Group>
  )
}

function buildColumns<Figures>(chart: Chart<Figures>): Column<CoverageBucket>[] {
  const count = (title: string, read: (figures: Figures) => number): Column<CoverageBucket> => {
    const readBucket = (bucket: CoverageBucket) => {
      const figures = chart.read(bucket)
      return figures === null ? null : read(figures)
    }
    return {
      title,
      sortBy: readBucket,
      first: 'descending',
      render: bucket => readBucket(bucket)?.toLocaleString() ?? describeNothing(chart, bucket),
    }
  }
  const computeShare = (bucket: CoverageBucket) => {
    const figures = chart.read(bucket)
    const covered = chart.parts.at(-1)
    const all = sumParts(chart, figures)
    return figures === null || covered === undefined || all === 0 ? null : covered.read(figures) / all
  }
  return [
    { title: texts.at, render: ({ to }) => <ExactTime at={to} /> },
    count(texts.total, figures => sumParts(chart, figures)),
    ...chart.parts.toReversed().map(({ name, read }) => count(name, read)),
    {
      title: chart.table.share,
      sortBy: computeShare,
      first: 'descending',
      render: bucket => {
        const share = computeShare(bucket)
        if (share !== null) return percent.format(share)
        return chart.read(bucket) === null ? describeNothing(chart, bucket) : texts.noShare
      },
    },
  ]
}

function describeNothing<Figures>({ table }: Chart<Figures>, { artifacts }: CoverageBucket): string {
  return artifacts === null ? texts.noReports : table.none
}
