// The columns of a leaf's event, for statements that join it as `e`: all null if the event is gone.
import { bytes, json, nullable, text, time, uuid } from '../db/statement.ts'

export const EVENT = {
  event_kind: nullable(text),
  happened_at: nullable(time),
  actor: nullable(text),
  request_id: nullable(text),
  flow_id: nullable(uuid),
  trail_id: nullable(uuid),
  environment_id: nullable(uuid),
  policy_id: nullable(uuid),
  control_id: nullable(uuid),
  caller: nullable(text),
  data: nullable(text),
  values: nullable(json<Record<string, unknown>>()),
  parts: nullable(text),
  salt: nullable(bytes),
}

export const SELECT_EVENT = `e.kind as event_kind, e.happened_at, e.actor, e.request_id, e.flow_id, e.trail_id,
  e.environment_id, e.policy_id, e.control_id, e.caller::text as caller, e.data::text as data, e.data as values,
  e.parts::text as parts, e.salt`
