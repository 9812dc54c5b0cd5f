// Divides a time range into equal buckets, one per bar of a chart.

const MIN_MS = 1_000

export interface TimeRange {
  from: Date
  to: Date
}

/** By default it starts with the first snapshot and ends now; it never starts after its end. */
export function resolveTimeRange(
  given: { from: Date | undefined; to: Date | undefined },
  first_snapshot_at: Date | null,
  now: Date,
): TimeRange {
  const to = given.to ?? now
  const since = given.from ?? first_snapshot_at ?? to
  return { from: given.from === undefined && since > to ? to : since, to }
}

/** The requested number of buckets, or one per whole second if there are fewer seconds; at least one. */
export function splitIntoBuckets({ from, to }: TimeRange, requested: number): TimeRange[] {
  const start_ms = from.getTime()
  const length_ms = to.getTime() - start_ms
  const many = Math.max(1, Math.min(requested, Math.floor(length_ms / MIN_MS)))
  const computeBorder = (i: number) => new Date(start_ms + Math.round((length_ms * i) / many))
  return Array.from({ length: many }, (_, i) => ({ from: computeBorder(i), to: computeBorder(i + 1) }))
}
