// Records an event for a request, which provides the actor, the time and the org.
import type { Db } from '../db/database.ts'
import type { Ids } from '../lib/ids.ts'
import type { EventKind } from './kinds.ts'
import { EventAuthor, type RequestContext } from './request-context.ts'
import { type EventWithRows, insertEvents, type StoredRowIds } from './rows-of-event.ts'
import type { EventToInsert } from './to-log.ts'

export type { RequestContext } from './request-context.ts'

export interface EventInput extends StoredRowIds {
  kind: EventKind
  flow_id?: string
  trail_id?: string
  environment_id?: string
  policy_id?: string
  control_id?: string
  data: Record<string, unknown>
  contents?: EventToInsert['contents']
  about?: EventToInsert['about']
}

/** Call this in the transaction of the change that the event describes, after the change. Returns the event's id. */
export async function recordEvent(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  event: EventInput,
): Promise<string> {
  const row = toNewEvent(context, ids, event)
  await insertEvents(tx, context.org.org_id, [row])
  return row.event_id
}

/** Records any number of events in one statement. */
export async function recordEvents(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  events: readonly EventInput[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(event => toNewEvent(context, ids, event))
  await insertEvents(tx, context.org.org_id, rows)
}

function toNewEvent(context: RequestContext, ids: Ids, event: EventInput): EventWithRows {
  return { event_id: ids.next(), ...new EventAuthor(context), ...event }
}
