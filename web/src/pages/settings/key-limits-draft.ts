// A key while it is being created: its purpose and its limits.
import type { NewKey } from './key-owners.ts'
import { OPERATIONS, type Operation } from './operations-field.tsx'

export interface Limits {
  operations: Operation[]
  flows: string[]
  environments: string[]
  allowed_addresses: string[]
}

export const NO_LIMITS: Limits = {
  operations: [...OPERATIONS],
  flows: [],
  environments: [],
  allowed_addresses: [],
}

/** Omits fields that limit nothing. */
export function toSentLimits({
  operations,
  flows,
  environments,
  allowed_addresses,
}: Limits): Partial<NewKey> {
  return {
    ...(operations.length < OPERATIONS.length && { operations }),
    ...(flows.length > 0 && { flows }),
    ...(environments.length > 0 && { environments }),
    ...(allowed_addresses.length > 0 && { allowed_addresses }),
  }
}

export interface KeyDraft extends Limits {
  description: string
  /** The last day of the key; null for the default. */
  expires_at: string | null
}
