// Silences: periods in which an environment was stale, from the events that record when its reports stopped and
// resumed.

export interface SilenceEvent {
  kind: 'environment_stale' | 'environment_reporting_again'
  happened_at: Date
  /** Time of the last report before it became stale, in epoch seconds; null if unknown. */
  last_reported_at: number | null
  /** In seconds; null if unknown. */
  expected_report_interval: number | null
}

export interface Silence {
  from: Date
  /** Null if the silence has not ended. */
  to: Date | null
}

const INTERVALS_UNTIL_STALE = 3

/**
 * `events`: oldest first, of one environment since `since`. `stale_at`: when it becomes stale if nothing else is reported;
 * null if it has no expected interval. A silence that began before `since` begins at `since`.
 */
export function listSilences(
  events: readonly SilenceEvent[],
  { since, stale_at, now }: { since: Date; stale_at: Date | null; now: Date },
): Silence[] {
  const silences: Silence[] = []
  let began: Date | null = null
  for (const [i, event] of events.entries()) {
    if (event.kind === 'environment_stale') {
      began ??= findBeginning(event)
    } else if (began !== null || i === 0) {
      addSilence(silences, { from: began ?? since, to: event.happened_at }, since)
      began = null
    }
  }
  // The state counts from the moment itself; the event is recorded some seconds later.
  if (stale_at !== null && stale_at <= now) addSilence(silences, { from: stale_at, to: null }, since)
  // A changed interval ended the silence, although nothing was reported. The next report records its end.
  else if (began !== null) addSilence(silences, { from: began, to: now }, since)
  return silences
}

/** The event is recorded when the silence is noticed, which may be some time after the environment became stale. */
function findBeginning({ happened_at, last_reported_at, expected_report_interval }: SilenceEvent): Date {
  if (last_reported_at === null || expected_report_interval === null) return happened_at
  const stale_ms = (last_reported_at + INTERVALS_UNTIL_STALE * expected_report_interval) * 1000
  return new Date(Math.min(stale_ms, happened_at.getTime()))
}

function addSilence(silences: Silence[], { from, to }: Silence, since: Date): void {
  if (to !== null && to <= since) return
  silences.push({ from: from < since ? since : from, to })
}

export const isSilent = (silences: readonly Silence[], at: Date): boolean =>
  silences.some(({ from, to }) => from <= at && (to === null || at < to))

/** One list without overlaps, oldest first: a logical environment is silent while any of its members is. */
export function mergeSilences(silences: readonly Silence[]): Silence[] {
  const merged: Silence[] = []
  for (const { from, to } of silences.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = merged.at(-1)
    if (last && (last.to === null || from <= last.to)) last.to = findLater(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

function findLater(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return null
  return one > other ? one : other
}
