// The real egress, for tests that run servers of their own on this host.
import type { Egress } from '../src/egress/egress.ts'
import { makeEgress } from '../src/egress/make.ts'
import { systemClock } from '../src/lib/clock.ts'
import { PATIENCE_MS } from './patience.ts'

/** For receivers that do answer, however busy the machine is. */
export const PATIENT_EGRESS = { resolve_ms: PATIENCE_MS, connect_ms: PATIENCE_MS, total_ms: PATIENCE_MS }

/** Allows these hosts, as the operator's settings would. */
export function makeEgressTo(...operator_hosts: string[]): Egress {
  return makeEgress({
    allow: [],
    dns_server: undefined,
    operator_hosts,
    user_agent: 'waybill/test',
    clock: systemClock,
    limits: PATIENT_EGRESS,
  })
}
