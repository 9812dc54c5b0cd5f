// The real egress, for tests that run their own servers on this host.
import { type Egress, makeEgress } from '@waybill/egress'
import { PATIENT_EGRESS } from '@waybill/egress/testing'
import { systemClock } from '../src/lib/clock.ts'

export { PATIENT_EGRESS }

/** Allows these hosts, like the operator's settings. */
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
