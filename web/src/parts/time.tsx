// A moment in the zone of whoever reads, with UTC for those who compare it with a log.

const DAY_MS = 24 * 60 * 60 * 1000
const near = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', DAY_MS],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
]

/** `at` in seconds since 1970. */
export function RelativeTime({ at }: { at: number | null | undefined }) {
  if (at === null || at === undefined) return <>never</>
  const date = new Date(at * 1000)
  const away_ms = date.getTime() - Date.now()
  const [unit, length_ms] = UNITS.find(([, each]) => Math.abs(away_ms) >= each) ?? ['second', 1000]
  const shown =
    Math.abs(away_ms) > 30 * DAY_MS
      ? date.toLocaleDateString()
      : near.format(Math.round(away_ms / length_ms), unit)
  return (
    <time dateTime={date.toISOString()} title={`${date.toLocaleString()} (${date.toISOString()})`}>
      {shown}
    </time>
  )
}

/** To the minute, where it is read beside how long ago it was. */
export function ExactTime({ at }: { at: number }) {
  const date = new Date(at * 1000)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  )
}
