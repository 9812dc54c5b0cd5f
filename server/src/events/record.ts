// Recording an event on behalf of a request: who, when and in which org come from the request itself.
import type { Db } from '../db/database.ts'
import type { Ids } from '../lib/ids.ts'
import type { EventKind } from './kinds.ts'
import { recordEvent } from './store.ts'

/** The part of a request that every event needs; any operation's request with an org has it. */
export interface Occasion {
  readonly org: { readonly org_id: string }
  readonly caller: { readonly name: string }
  readonly now: Date
  readonly request_id: string
}

export interface Happening {
  kind: EventKind
  flow_id?: string
  trail_id?: string
  environment_id?: string
  policy_id?: string
  control_id?: string
  data: Record<string, unknown>
}

/** Call it in the transaction of the change the event tells of. Answers its id. */
export async function record(tx: Db, occasion: Occasion, ids: Ids, happening: Happening): Promise<string> {
  const { org, caller, now, request_id } = occasion
  const event_id = ids.next()
  await recordEvent(tx, org.org_id, {
    event_id,
    actor: caller.name,
    now,
    request_id,
    ...happening,
  })
  return event_id
}
