// Organization quotas. The operator sets them for the installation and for single organizations.

export interface Quotas {
  /** Null means no quota, here and below. */
  requests_per_second: number | null
  evidence_bytes: number | null
  jq_seconds_per_hour: number | null
}

export const QUOTA_NAMES = ['requests_per_second', 'evidence_bytes', 'jq_seconds_per_hour'] as const

export const NO_QUOTAS: Quotas = {
  requests_per_second: null,
  evidence_bytes: null,
  jq_seconds_per_hour: null,
}

/** Quotas of a single organization; for an omitted quota, the installation's applies. */
export type OwnQuotas = Partial<Quotas>

export function mergeQuotas(own: OwnQuotas, of_installation: Quotas): Quotas {
  return { ...of_installation, ...own }
}
