// The query parameters of the pages of flows and trails.

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
  /** Of the trends. */
  period?: Period
  environment?: string
}

export interface TrailSearch {
  attestation_id?: string
}

/** What the page that leads to the form knows already. */
export interface AttestSearch {
  name?: string
  type?: string
  fingerprint?: string
  /** The name of an artifact in the template. */
  artifact?: string
  /** Makes it a decision on this control. */
  control?: string
}
