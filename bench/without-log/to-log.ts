// Replaces server/src/events/to-log.ts in a service without a log: stores events as they are, without serializing and
// hashing them. For bench/log-cost.bench.ts.
import type { EventEntry, EventToInsert } from '../../server/src/events/to-log.ts'

const NO_HASH = Buffer.alloc(32)
const NO_SALT = NO_HASH.toString('hex')

export function toRowsAndEntries(org_id: string, events: readonly EventToInsert[]) {
  return events.map(event => {
    const { receipt, contents, rows, files, facts, about, ...rest } = event
    const row = Object.assign(rest, { parts: undefined, salt: NO_SALT })
    const { event_id, kind, now } = row
    const entry: EventEntry = { org_id, event_id, kind, now, body_hash: NO_HASH, subjects: [], receipt }
    return { row, entry }
  })
}
