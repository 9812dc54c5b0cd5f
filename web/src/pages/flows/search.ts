// The query parameters of the flow and trail pages.

import type { Period } from '../../parts/periods.ts'

export const FLOW_ORDERS = ['name', 'latest_activity'] as const
export const TRAIL_STATES = ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] as const
export const FLOW_TABS = ['trails', 'trends', 'template', 'settings'] as const

export interface FlowsSearch {
  name?: string
  /** `key` or `key:value`. */
  tag?: string
  sort?: (typeof FLOW_ORDERS)[number]
  descending?: true
  /** Shows archived flows instead of the others. */
  archived?: true
  page?: number
}

export interface FlowSearch {
  tab?: (typeof FLOW_TABS)[number]
  /** Only trails whose name contains this. */
  name?: string
  /** Only trails that have this artifact. */
  fingerprint?: string
  /** Only trails in this state. */
  state?: (typeof TRAIL_STATES)[number]
  page?: number
  /** For the trends. */
  period?: Period
  environment?: string
}

export interface TrailSearch {
  attestation_id?: string
}

/** Values that the linking page already knows. */
export interface AttestSearch {
  name?: string
  type?: string
  fingerprint?: string
  /** The name of an artifact in the template. */
  artifact?: string
  /** Makes it a decision on this control. */
  control?: string
}
