// Audit events as the API sends them, and the filters it accepts.
import { type Static, Type } from 'typebox'
import { CONTROL_IDENTIFIER_MAX } from '../../domain/names.ts'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { toWireId } from '../../lib/ids.ts'
import { Moment } from '../shared/moments.ts'
import { Closed, EpochSeconds, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { EventRow } from './store.ts'

const MAX_PER_PAGE = 100
const MAX_NAME = 255

const Name = (description: string) => Type.Optional(Type.String({ maxLength: MAX_NAME, description }))

export const AuditEventsQuery = Closed('AuditEventsQuery', {
  kind: Type.Optional(
    Type.Array(OneOf([...EVENT_KINDS]), {
      maxItems: EVENT_KINDS.length,
      description: 'Only events of this kind; may be repeated',
    }),
  ),
  actor: Name('Exact name of the person or service account that acted'),
  from_timestamp: Moment('Only events at or after this time, in epoch seconds'),
  to_timestamp: Moment('Only events at or before this time, in epoch seconds'),
  flow_name: Name('Only events in this flow'),
  environment_name: Name('Only events in this environment'),
  control: Type.Optional(
    Type.String({ maxLength: CONTROL_IDENTIFIER_MAX, description: 'Only events of this control' }),
  ),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE })),
  cursor: Type.Optional(Type.String({ description: '`next` of the previous page' })),
})
export type AuditEventsQuery = Static<typeof AuditEventsQuery>

const AuditEvent = Closed('AuditEvent', {
  id: Type.String(),
  kind: Type.String(),
  actor: Type.String(),
  timestamp: EpochSeconds,
  data: Type.Record(Type.String(), Type.Unknown()),
})

export const AuditEvents = Closed('AuditEvents', {
  events: Type.Array(AuditEvent),
  next: Nullable(Type.String({ description: 'The cursor of the next page; null at the end' })),
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
