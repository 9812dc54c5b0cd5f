// An observation of a reporter: the elements of a report, and what the reporter could not see.

export interface Observation {
  elements: readonly object[]
  /** Things that the reporter could not see. Any gap makes the report partial, so that it ends nothing. */
  missing: readonly string[]
  /** Unix seconds. */
  observed_at: number
  /** The observed scope, such as the namespaces. */
  scope: string
}

/** Maximum lengths of lists and texts in the API. */
const MOST_MISSING = 1_000
const LONGEST_TEXT = 500

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
