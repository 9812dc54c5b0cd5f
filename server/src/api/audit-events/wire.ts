// Audit events as the API sends them, and the filters it accepts.
import { type Static, Type } from 'typebox'
import { joinSentence, PART_SUBJECTS } from '../../domain/event-sentence.ts'
import { CONTROL_IDENTIFIER_MAX } from '../../domain/names.ts'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { describeEvent } from '../../events/sentences.ts'
import { toWireId } from '../../lib/ids.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EXAMPLE_ID } from '../shared/examples.ts'
import { EventTime, Id, OrgName } from '../shared/fields.ts'
import { Cursor, NextCursor, PerPageUpTo } from '../shared/page.ts'
import { about, Closed, Naming, Nullable, OneOf, toEpoch } from '../shared/wire.ts'
import type { EventRow } from './store.ts'

const MAX_PER_PAGE = 100
const MAX_NAME = 255

const Name = (description: string, example: string) =>
  Type.String({ maxLength: MAX_NAME, ...about(description, example) })

const FILTERS = {
  kind: Type.Optional(
    Type.Array(OneOf([...EVENT_KINDS]), {
      maxItems: EVENT_KINDS.length,
      description: 'Only events of this kind; may be repeated',
    }),
  ),
  actor: Type.Optional(Name('Exact name of the person or service account that acted', 'ada')),
  from_timestamp: EpochTime('Only events at or after this time, in epoch seconds'),
  to_timestamp: EpochTime('Only events at or before this time, in epoch seconds'),
  flow_name: Type.Optional(Naming('flow', Name('Only events in this flow', 'backend-ci'))),
  environment_name: Type.Optional(
    Naming('environment', Name('Only events in this environment', 'production')),
  ),
  control: Type.Optional(
    Type.String({
      maxLength: CONTROL_IDENTIFIER_MAX,
      ...about('Only events of this control', 'SDLC-7'),
    }),
  ),
}

export const AuditEventsFilter = Closed('AuditEventsFilter', FILTERS)
export type AuditEventsFilter = Static<typeof AuditEventsFilter>

export const AuditEventsQuery = Closed('AuditEventsQuery', {
  ...FILTERS,
  per_page: PerPageUpTo(MAX_PER_PAGE),
  cursor: Cursor,
})
export type AuditEventsQuery = Static<typeof AuditEventsQuery>

export const AuditEventsExportQuery = Closed('AuditEventsExportQuery', {
  ...FILTERS,
  format: Type.Optional(
    OneOf(['csv', 'json'], { description: 'Format of the file; default csv', example: 'csv' }),
  ),
})

export const AuditEventPath = Closed('AuditEventPath', {
  org: OrgName,
  event_id: Type.String(about('Id of the event', EXAMPLE_ID)),
})

const Named = (what: string, example: string) =>
  Nullable(
    Type.String(),
    about(`Present name of the ${what} that the event is about; null for none`, example),
  )

const SentencePart = Closed('SentencePart', {
  text: Type.String(about('Words, or a name that somebody chose', 'ada')),
  about: Nullable(OneOf([...PART_SUBJECTS]), {
    description: 'What the text names; null for plain words and values without a page',
  }),
})

export const AuditEvent = Closed('AuditEvent', {
  id: Id,
  kind: Type.String(about('Type of the event', 'flow_created')),
  actor: Type.String(about('User, service account or CI job that caused the event', 'ada')),
  timestamp: EventTime,
  data: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('Details of the event', { flow_name: 'backend-ci' }),
  ),
  flow_name: Named('flow', 'backend-ci'),
  trail_name: Named('trail', 'release-1.4.2'),
  environment_name: Named('environment', 'production'),
  policy_name: Named('policy', 'production-rules'),
  control: Nullable(
    Type.String(),
    about('Identifier of the control that the event is about; null for none', 'SDLC-7'),
  ),
  sentence: Type.String(about('What happened, as a sentence', 'ada created flow backend-ci')),
  parts: Type.Array(SentencePart, { description: 'The sentence in parts, so that names can be linked' }),
  html_url: Type.String(
    about('Page of the event', 'https://waybill.example.com/acme/settings/audit-events/019cb391'),
  ),
})
export type AuditEvent = Static<typeof AuditEvent>

const Values = (what: string, example: string) =>
  Type.Array(Type.String(), about(`The ${what} that the examined events have`, [example]))

export const AuditEventValues = Closed('AuditEventValues', {
  kinds: Values('kinds', 'flow_created'),
  actors: Values('people, service accounts and CI jobs', 'ada'),
  flows: Values('flows', 'backend-ci'),
  environments: Values('environments', 'production'),
  controls: Values('controls', 'SDLC-7'),
  examined: Type.Integer(about('Number of newest events that were examined', 812)),
})

export const AuditEvents = Closed('AuditEvents', {
  events: Type.Array(AuditEvent, about('The events, newest first')),
  next: NextCursor,
})

export interface Site {
  base_url: string
  org: string
}

export function toWire(row: EventRow, { base_url, org }: Site): AuditEvent {
  const { kind, actor, data, flow_name, trail_name, environment_name, policy_name, control } = row
  const id = toWireId(row.event_id)
  const parts = describeEvent(row)
  return {
    id,
    kind,
    actor,
    timestamp: toEpoch(row.happened_at),
    data,
    flow_name,
    trail_name,
    environment_name,
    policy_name,
    control,
    sentence: joinSentence(parts),
    parts,
    html_url: `${base_url}/${encodeURIComponent(org)}/settings/audit-events/${id}`,
  }
}
