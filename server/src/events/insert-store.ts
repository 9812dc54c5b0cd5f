// The only statement that inserts events. Use it through `buildEventsStep`, which also numbers them in the log.
import { makeStep, type Step } from '../db/database.ts'
import { defineStatement, json, uuid } from '../db/statement.ts'
import type { EventKind } from './kinds.ts'

export interface NewEvent {
  event_id: string
  kind: EventKind
  now: Date
  actor: string
  request_id: string
  flow_id?: string | null
  trail_id?: string | null
  environment_id?: string | null
  policy_id?: string | null
  control_id?: string | null
  data: Record<string, unknown>
  /** Who the actor is and how they authenticated; undefined for Waybill itself. */
  caller?: CallerFacts | undefined
  /** Hashes of content stored elsewhere, by name. */
  parts?: Record<string, unknown> | undefined
}

export interface CallerFacts {
  kind: string
  id: string
  credential: string
  key_id: string
}

export interface EventRow extends NewEvent {
  /** In hexadecimal. */
  salt: string
}

const append = defineStatement(
  'events.append',
  { org_id: uuid, events: json<readonly EventRow[]>() },
  {},
  `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, environment_id,
                       policy_id, control_id, data, caller, parts, salt)
   select :org_id, e.event_id, e.kind, e.now, e.actor, e.request_id, e.flow_id, e.trail_id, e.environment_id,
          e.policy_id, e.control_id, e.data, e.caller, e.parts, decode(e.salt, 'hex')
   from jsonb_to_recordset(:events::jsonb) as e(event_id uuid, kind text, now timestamptz, actor text, request_id text,
     flow_id uuid, trail_id uuid, environment_id uuid, policy_id uuid, control_id uuid, data jsonb, caller jsonb,
     parts jsonb, salt text)`,
)

export function buildInsertStep(org_id: string, events: readonly EventRow[]): Step {
  return makeStep(append, { org_id, events })
}
