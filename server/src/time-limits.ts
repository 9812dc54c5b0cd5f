// How long the application waits for others, in one place, because tests set other limits.
import { EGRESS_LIMITS } from '@waybill/egress'
import type { ReadyLimits } from './http/readiness.ts'
import { CLIENT_LIMITS, type ClientLimits } from './http/server.ts'
import { STREAM_TIMES, type StreamTimes } from './live/streams.ts'

/** How long other systems may take to respond, in real time. */
export interface TimeLimits {
  egress: typeof EGRESS_LIMITS
  ci_issuer_ms: number
  identity_provider_ms: number
  witness_ms: number
  audit_sink_ms: number
  ready: ReadyLimits
  clients: ClientLimits
  /** How long a large report may wait for other reports. */
  large_report_wait_ms: number
  /** Time for requests in progress at shutdown. */
  finish_ms: number
  streams: StreamTimes
}

export const TIME_LIMITS: TimeLimits = {
  egress: EGRESS_LIMITS,
  ci_issuer_ms: 5_000,
  identity_provider_ms: 10_000,
  witness_ms: 10_000,
  audit_sink_ms: 30_000,
  ready: { within_ms: 3_000, fresh_ms: 1_000, evidence_fresh_ms: 10_000 },
  clients: CLIENT_LIMITS,
  large_report_wait_ms: 30_000,
  finish_ms: 20_000,
  streams: STREAM_TIMES,
}
