// How often artifacts were deployed, and how many of them failed, as stacked bars.
import { Group, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { useTimeZone } from '../../parts/use-time-zone.ts'
import { type Bar, Bars } from '../../ui/chart/bars.tsx'
import { ChartFrame } from '../../ui/chart/frame.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { formatExact } from '../../ui/local-time.ts'
import { Patterns, toPatternsPrefix } from '../environments/band-look.tsx'
import type { DeploymentTrends, TrendBucket } from './queries.ts'
import { deploymentTrendTexts as texts } from './texts.ts'
import '../environments/environments.css'

/** The worst outcome first. */
const OUTCOMES = [
  { name: 'failed', read: ({ failed }: TrendBucket) => failed },
  { name: 'unknown', read: ({ unknown }: TrendBucket) => unknown },
  {
    name: 'succeeded',
    read: ({ deployments, failed, unknown }: TrendBucket) => deployments - failed - unknown,
  },
] as const

type Look = Bar['parts'][number]['look']

const LOOKS: Record<(typeof OUTCOMES)[number]['name'], (prefix: string) => Look> = {
  failed: prefix => ({ className: 'band-cell', fill: `url(#${prefix}-hatched)` }),
  unknown: prefix => ({ className: 'band-cell', fill: `url(#${prefix}-dotted)` }),
  succeeded: () => ({ className: 'band-cell band-compliant' }),
}

export function DeploymentChart({ trends: { from, to, total, buckets } }: { trends: DeploymentTrends }) {
  const zone = useTimeZone()
  const prefix = toPatternsPrefix(useId())
  const bars = buckets.map((bucket): Bar => {
    const time = `${formatExact(bucket.from, zone)} – ${formatExact(bucket.to, zone)}`
    return {
      from: bucket.from,
      to: bucket.to,
      parts: OUTCOMES.map(({ name, read }) => ({ name, value: read(bucket), look: LOOKS[name](prefix) })),
      label: texts.deployments.bar(time, bucket.deployments, bucket.failed, bucket.unknown),
    }
  })
  return (
    <Stack gap="xs">
      <svg width="0" height="0" aria-hidden="true" focusable="false">
        <Patterns prefix={prefix} />
      </svg>
      <ChartFrame
        label={texts.deployments.label(
          texts.deployments.bar(
            formatCount(buckets.length, 'time span'),
            total.deployments,
            total.failed,
            total.unknown,
          ),
        )}
        from={from}
        to={to}
        max={Math.max(...buckets.map(({ deployments }) => deployments))}
        zone={zone}
        formatValue={value => (Number.isInteger(value) ? value.toLocaleString() : '')}
      >
        {(scales, height) => <Bars bars={bars} scales={scales} height={height} />}
      </ChartFrame>
      <Group gap="md" aria-hidden="true">
        {OUTCOMES.toReversed().map(({ name }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <svg width="16" height="12" focusable="false" aria-hidden="true">
              <rect width="16" height="12" {...LOOKS[name](prefix)} />
            </svg>
            <Text size="xs">{texts.deployments[name]}</Text>
          </Group>
        ))}
      </Group>
    </Stack>
  )
}
