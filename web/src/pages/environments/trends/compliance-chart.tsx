// How long an environment was in each state, as a chart and as a table of the same figures.
import { Stack } from '@mantine/core'
import { useId } from 'react'
import type { Schemas } from '../../../parts/schemas.ts'
import { formatState } from '../../../parts/state-badge.tsx'
import { ExactTime } from '../../../parts/time.tsx'
import { useTimeZone } from '../../../parts/use-time-zone.ts'
import { type Bar, Bars } from '../../../ui/chart/bars.tsx'
import { ChartFrame } from '../../../ui/chart/frame.tsx'
import type { Marked } from '../../../ui/chart/group-marks.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Details } from '../../../ui/details.tsx'
import { formatExact } from '../../../ui/local-time.ts'
import type { Column } from '../../../ui/sort-rows.ts'
import { Empty } from '../../../ui/states.tsx'
import type { TimelineBucket } from '../answers.ts'
import { BandLegend, Patterns, toPatternsPrefix } from '../band-look.tsx'
import { describeShares } from '../buckets.ts'
import { describeChanges } from './policy-changes.tsx'
import type { PolicyChange } from './queries.ts'
import { trendTexts as texts } from './texts.ts'
import '../environments.css'

type Timeline = Schemas['EnvironmentTimeline']

/** The worst state first. */
const STATES = [
  { word: 'NON-COMPLIANT', read: (bucket: TimelineBucket) => bucket.non_compliant_seconds },
  { word: 'STALE', read: (bucket: TimelineBucket) => bucket.stale_seconds },
  {
    word: 'UNKNOWN',
    read: ({ unknown_seconds, stale_seconds }: TimelineBucket) => unknown_seconds - stale_seconds,
  },
  { word: 'COMPLIANT', read: (bucket: TimelineBucket) => bucket.compliant_seconds },
] as const

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

export function ComplianceChart({
  timeline,
  marked,
}: {
  timeline: Timeline
  marked: readonly Marked<PolicyChange>[]
}) {
  const zone = useTimeZone()
  const prefix = toPatternsPrefix(useId())
  const { buckets, from, to } = timeline
  const shares = describeShares(buckets)
  if (shares === '') return <Empty title={texts.compliance.nothing}>{texts.compliance.nothingHint}</Empty>
  const changes = marked.reduce((sum, { items }) => sum + items.length, 0)
  const bars = buckets.map((bucket): Bar => {
    const time = `${formatExact(bucket.from, zone)} – ${formatExact(bucket.to, zone)}`
    const described = describeShares([bucket])
    return {
      from: bucket.from,
      to: bucket.to,
      parts: STATES.map(({ word, read }) => ({
        name: word,
        value: read(bucket) / (bucket.to - bucket.from),
        look: LOOKS[word](prefix),
      })),
      label: texts.compliance.bar(time, described === '' ? texts.compliance.noReports : described),
    }
  })
  return (
    <Stack gap="xs">
      <svg width="0" height="0" aria-hidden="true" focusable="false">
        <Patterns prefix={prefix} />
      </svg>
      <ChartFrame
        label={texts.compliance.label(shares, changes)}
        from={from}
        to={to}
        max={1}
        zone={zone}
        formatValue={value => percent.format(value)}
        marks={marked.map(({ number, at, items }) => ({
          at,
          text: String(number),
          label: texts.policies.markLabel(formatExact(at, zone), describeChanges(items)),
        }))}
      >
        {(scales, height) => <Bars bars={bars} scales={scales} height={height} />}
      </ChartFrame>
      <BandLegend hasStale={buckets.some(({ stale_seconds }) => stale_seconds > 0)} hasDeployments={false} />
      <Details title={texts.compliance.table}>
        <DataTable
          caption={texts.compliance.caption}
          columns={COLUMNS}
          rows={buckets}
          getKey={bucket => String(bucket.from)}
        />
      </Details>
    </Stack>
  )
}

type Look = (prefix: string) => Bar['parts'][number]['look']

const LOOKS: Record<(typeof STATES)[number]['word'], Look> = {
  'NON-COMPLIANT': prefix => ({ className: 'band-cell', fill: `url(#${prefix}-hatched)` }),
  STALE: prefix => ({ className: 'band-cell', fill: `url(#${prefix}-lined)` }),
  UNKNOWN: prefix => ({ className: 'band-cell', fill: `url(#${prefix}-dotted)` }),
  COMPLIANT: () => ({ className: 'band-cell band-compliant' }),
}

const COLUMNS: Column<TimelineBucket>[] = [
  { title: texts.compliance.from, render: ({ from }) => <ExactTime at={from} /> },
  { title: texts.compliance.to, render: ({ to }) => <ExactTime at={to} /> },
  ...STATES.toReversed().map(
    ({ word, read }): Column<TimelineBucket> => ({
      title: formatState(word),
      sortBy: bucket => read(bucket) / (bucket.to - bucket.from),
      first: 'descending',
      render: bucket => percent.format(read(bucket) / (bucket.to - bucket.from)),
    }),
  ),
  {
    title: texts.compliance.noSnapshot,
    render: bucket => percent.format(computeRest(bucket)),
  },
]

/** The share of the time before the first snapshot. */
function computeRest(bucket: TimelineBucket): number {
  const known = STATES.reduce((sum, { read }) => sum + read(bucket), 0)
  const rest = 1 - known / (bucket.to - bucket.from)
  return rest < 0.0005 ? 0 : rest
}
