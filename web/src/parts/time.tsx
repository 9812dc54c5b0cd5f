// Times in the zone that the reader chose, with UTC on hover for comparing them with logs.
import { formatDay, formatExact, type TimeZone } from '../ui/local-time.ts'
import { partsTexts as texts } from './texts.ts'
import { useClock } from './use-clock.ts'
import { useTimeZone } from './use-time-zone.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', DAY_MS],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
]

/**
 * `at` in seconds since 1970. The text follows the server's clock and is rendered again only when it changes.
 */
export function RelativeTime({ at }: { at: number | null | undefined }) {
  const zone = useTimeZone()
  const shown = useClock(now_ms => (at == null ? '' : formatRelative(at * 1000, now_ms, zone)))
  if (at === null || at === undefined) return <>{texts.time.never}</>
  const date = new Date(at * 1000)
  return (
    <time
      dateTime={date.toISOString()}
      title={`${formatExact(at, zone)} (${date.toISOString()})`}
      data-exact={formatExact(at, zone)}
    >
      <span className="moving-time">{shown}</span>
    </time>
  )
}

function formatRelative(at_ms: number, now_ms: number, zone: TimeZone = 'local'): string {
  const away_ms = at_ms - now_ms
  const [unit, length_ms] = UNITS.find(([, each]) => Math.abs(away_ms) >= each) ?? ['second', 1000]
  return Math.abs(away_ms) > 30 * DAY_MS
    ? formatDay(at_ms / 1000, zone)
    : relative.format(Math.round(away_ms / length_ms), unit)
}

interface Collected {
  collected_at: number | null
  spooled: boolean
}

/** When something was recorded and, if its sender reported it, when it was collected. */
export function RecordedTime({ at, of }: { at: number; of: Collected }) {
  const { collected_at, spooled } = of
  if (collected_at === null)
    return (
      <>
        <RelativeTime at={at} />
        {spooled && texts.time.sentLater}
      </>
    )
  return (
    <>
      {texts.time.collected} <ExactTime at={collected_at} />
      {texts.time.recorded} <ExactTime at={at} />
      {spooled && texts.time.sentLater}
    </>
  )
}

/** To the second and with its zone, for use beside a relative time and in logs. */
export function ExactTime({ at }: { at: number }) {
  const zone = useTimeZone()
  const utc = new Date(at * 1000).toISOString()
  return (
    <time dateTime={utc} title={utc}>
      {formatExact(at, zone)}
    </time>
  )
}
