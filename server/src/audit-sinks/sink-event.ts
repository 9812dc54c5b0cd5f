// One event as sinks send it: in the form of the API, with its organization and its number in the log.
import { nameControls } from '../api/audit-events/scan.ts'
import { type EventRow, listEvents } from '../api/audit-events/store.ts'
import { type AuditEvent, toWire } from '../api/audit-events/wire.ts'
import type { Database } from '../db/database.ts'
import { type ClaimedCursor, listNextLeaves, type NextLeaf } from './store.ts'

export interface SinkEvent extends Omit<AuditEvent, 'parts'> {
  org: string
  /** Its place in the log of the organization, which has no gaps. */
  log: { epoch: number; number: number }
}

/** Events that deserve somebody's attention. */
export const WARNING_KINDS: ReadonlySet<string> = new Set([
  'log_fork_reported',
  'break_glass_sign_in',
  'sign_in_failed',
  'environment_stale',
])

/** The events from the cursor on, in log order. */
export function readNextEvents(
  db: Database,
  cursor: ClaimedCursor,
  limit: number,
  base_url: string,
): Promise<SinkEvent[]> {
  const { org_id } = cursor
  return db.withTransaction({ org_id }, async tx => {
    const leaves = await listNextLeaves(tx, cursor, limit)
    const found = await listEvents(
      tx,
      org_id,
      leaves.map(({ event_id }) => event_id),
    )
    const named = await nameControls(tx, org_id, found)
    const rows = new Map(named.map(row => [row.event_id, row]))
    return leaves.map(leaf => toSinkEvent(leaf, rows.get(leaf.event_id) ?? describeLeaf(leaf), base_url))
  })
}

/** All that is known about an event whose month is detached. */
function describeLeaf({ event_id, kind, logged_ms }: NextLeaf): EventRow {
  const subjects = {
    flow_name: null,
    trail_name: null,
    environment_name: null,
    policy_name: null,
    control: null,
  }
  return { event_id, kind, happened_at: new Date(logged_ms), actor: '', data: {}, ...subjects }
}

function toSinkEvent({ org, epoch, seq }: NextLeaf, row: EventRow, base_url: string): SinkEvent {
  const { parts: _, ...event } = toWire(row, { base_url, org })
  return { ...event, org, log: { epoch, number: seq } }
}
