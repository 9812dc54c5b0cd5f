// Why an earlier request for the same decision no longer counts: the service answers with a new first request.
import type { Schemas } from '../api-types.ts'

/** The end of a sentence; empty if no request has lapsed. */
export function explainLapse(answer: unknown): string {
  const { lapsed_request } = (answer ?? {}) as Partial<Schemas['WaitingDecision']>
  if (!lapsed_request) return ''
  return `. The request of ${lapsed_request.asked_by} has lapsed: ${lapsed_request.lapse_reason}`
}
