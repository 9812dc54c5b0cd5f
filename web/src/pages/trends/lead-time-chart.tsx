// The median lead time of each time span, as a line with gaps.
import { useTimeZone } from '../../parts/use-time-zone.ts'
import { ChartFrame } from '../../ui/chart/frame.tsx'
import { Line } from '../../ui/chart/line.tsx'
import { formatExact } from '../../ui/local-time.ts'
import { formatLeadTime } from './figures.tsx'
import type { DeploymentTrends } from './queries.ts'
import { deploymentTrendTexts as texts } from './texts.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The axis uses this unit from this duration on. */
const UNITS = [
  { from: 3 * DAY, length: DAY, name: texts.units.days },
  { from: 2 * HOUR, length: HOUR, name: texts.units.hours },
  { from: 0, length: MINUTE, name: texts.units.minutes },
] as const

export function LeadTimeChart({ trends: { from, to, total, buckets } }: { trends: DeploymentTrends }) {
  const zone = useTimeZone()
  const longest = Math.max(0, ...buckets.map(({ lead_time_p50 }) => lead_time_p50 ?? 0))
  const { length, name } = UNITS.find(unit => longest >= unit.from) ?? UNITS[2]
  const points = buckets.map(bucket => ({
    at: (bucket.from + bucket.to) / 2,
    value: bucket.lead_time_p50 === null ? null : bucket.lead_time_p50 / length,
    label: texts.lead.point(formatExact(bucket.from, zone), formatLeadTime(bucket.lead_time_p50)),
  }))
  return (
    <ChartFrame
      label={texts.lead.label(formatLeadTime(total.lead_time_p50))}
      from={from}
      to={to}
      max={longest / length}
      zone={zone}
      formatValue={value => `${value.toLocaleString()} ${name}`}
    >
      {(scales, height) => <Line points={points} scales={scales} height={height} />}
    </ChartFrame>
  )
}
