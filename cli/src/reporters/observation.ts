// What a reporter has seen: the elements of a report, and what it could not see.

export interface Observation {
  elements: readonly object[]
  /** What could not be seen; a report with any of it is partial and ends nothing. */
  missing: readonly string[]
  /** Unix seconds. */
  observed_at: number
  /** What was looked at, such as the namespaces. */
  scope: string
}

/** Longest lists and texts that the service takes. */
const MOST_MISSING = 100
const LONGEST_TEXT = 200

export function buildReportBody(observation: Observation, version: string): Record<string, unknown> {
  const { elements, missing, observed_at, scope } = observation
  const reporter = { name: 'waybill', version, scope: shorten(scope) }
  const body = { artifacts: elements, observed_at, reporter }
  if (missing.length === 0) return body
  const listed = missing.slice(0, MOST_MISSING).map(shorten)
  if (missing.length > MOST_MISSING) listed[MOST_MISSING - 1] = `${missing.length - MOST_MISSING + 1} more`
  return { ...body, is_partial: true, missing: listed }
}

const shorten = (text: string): string =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text
