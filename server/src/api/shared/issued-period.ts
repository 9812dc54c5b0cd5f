// The period of a download, in words and as its event records it.

interface Period {
  from_timestamp?: number | undefined
  to_timestamp?: number | undefined
}

export function describePeriod({ from_timestamp, to_timestamp }: Period): string {
  const format = (at: number) => new Date(at * 1000).toISOString()
  const from = from_timestamp === undefined ? 'the beginning' : format(from_timestamp)
  return `${from} to ${to_timestamp === undefined ? 'now' : format(to_timestamp)}`
}

/** For the event of the package. */
export function toIssuedPeriod({ from_timestamp, to_timestamp }: Period) {
  const format = (at: number | undefined) => (at === undefined ? null : new Date(at * 1000).toISOString())
  return { from: format(from_timestamp), to: format(to_timestamp) }
}
