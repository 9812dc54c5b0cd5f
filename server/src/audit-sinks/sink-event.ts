// One event as sinks send it: as the API shows it, with its organization and its number in the log.
import { type AuditEvent, toWire } from '../api/audit-events/wire.ts'
import type { LoggedEvent } from './store.ts'

export interface SinkEvent extends Omit<AuditEvent, 'parts'> {
  org: string
  /** Its place in the log of the organization, which has no gaps. */
  log: { epoch: number; number: number }
}

export function toSinkEvent(row: LoggedEvent, base_url: string): SinkEvent {
  const { parts: _, ...event } = toWire(row, { base_url, org: row.org })
  return { ...event, org: row.org, log: { epoch: row.epoch, number: row.seq } }
}

/** Somebody should look at these. */
export const WARNING_KINDS: ReadonlySet<string> = new Set([
  'log_fork_reported',
  'break_glass_sign_in',
  'sign_in_failed',
  'environment_stale',
])
