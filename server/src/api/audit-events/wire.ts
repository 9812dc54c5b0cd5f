// Audit events as the API sends them, and the filters it accepts.
import { type Static, Type } from 'typebox'
import { CONTROL_IDENTIFIER_MAX } from '../../domain/names.ts'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { toWireId } from '../../lib/ids.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EventTime, Id } from '../shared/fields.ts'
import { Cursor, NextCursor, PerPageUpTo } from '../shared/page.ts'
import { about, Closed, OneOf, toEpoch } from '../shared/wire.ts'
import type { EventRow } from './store.ts'

const MAX_PER_PAGE = 100
const MAX_NAME = 255

const Name = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: MAX_NAME, ...about(description, example) }))

export const AuditEventsQuery = Closed('AuditEventsQuery', {
  kind: Type.Optional(
    Type.Array(OneOf([...EVENT_KINDS]), {
      maxItems: EVENT_KINDS.length,
      description: 'Only events of this kind; may be repeated',
    }),
  ),
  actor: Name('Exact name of the person or service account that acted', 'ada'),
  from_timestamp: EpochTime('Only events at or after this time, in epoch seconds'),
  to_timestamp: EpochTime('Only events at or before this time, in epoch seconds'),
  flow_name: Name('Only events in this flow', 'backend-ci'),
  environment_name: Name('Only events in this environment', 'production'),
  control: Type.Optional(
    Type.String({
      maxLength: CONTROL_IDENTIFIER_MAX,
      ...about('Only events of this control', 'SDLC-7'),
    }),
  ),
  per_page: PerPageUpTo(MAX_PER_PAGE),
  cursor: Cursor,
})
export type AuditEventsQuery = Static<typeof AuditEventsQuery>

const AuditEvent = Closed('AuditEvent', {
  id: Id,
  kind: Type.String(about('Type of the event', 'flow_created')),
  actor: Type.String(about('User, service account or CI job that caused the event', 'ada')),
  timestamp: EventTime,
  data: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('Details of the event', { flow_name: 'backend-ci' }),
  ),
})

export const AuditEvents = Closed('AuditEvents', {
  events: Type.Array(AuditEvent, about('The events, newest first')),
  next: NextCursor,
})

export function toWire(row: EventRow): Static<typeof AuditEvent> {
  return {
    id: toWireId(row.event_id),
    kind: row.kind,
    actor: row.actor,
    timestamp: toEpoch(row.happened_at),
    data: row.data,
  }
}
