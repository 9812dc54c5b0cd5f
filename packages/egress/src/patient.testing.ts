// Settings for tests of the egress guard: limits that no receiver exceeds, however busy the machine is, and a
// real clock.
import { PATIENCE_MS } from '@waybill/testing/patience'
import type { Clock } from './clock.ts'

export const PATIENT_EGRESS = { resolve_ms: PATIENCE_MS, connect_ms: PATIENCE_MS, total_ms: PATIENCE_MS }

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic_ms: () => performance.now(),
}
