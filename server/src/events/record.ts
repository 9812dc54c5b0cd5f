// Records an event for a request, which provides the actor, the time and the org.
import type { Db } from '../db/database.ts'
import type { Ids } from '../lib/ids.ts'
import type { EventKind } from './kinds.ts'
import { insertEvent } from './store.ts'

/** The part of a request that every event needs. */
export interface RequestContext {
  readonly org: { readonly org_id: string }
  readonly caller: { readonly name: string }
  readonly now: Date
  readonly request_id: string
}

export interface EventInput {
  kind: EventKind
  flow_id?: string
  trail_id?: string
  environment_id?: string
  policy_id?: string
  control_id?: string
  data: Record<string, unknown>
}

/** Call this in the transaction of the change that the event describes. Returns the event's id. */
export async function recordEvent(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  event: EventInput,
): Promise<string> {
  const { org, caller, now, request_id } = context
  const event_id = ids.next()
  await insertEvent(tx, org.org_id, {
    event_id,
    actor: caller.name,
    now,
    request_id,
    ...event,
  })
  return event_id
}
