// API schemas of the membership history.
import { type Static, Type } from 'typebox'
import { ROLES } from '../../domain/roles.ts'
import { toWireId } from '../../lib/ids.ts'
import { SOURCES } from '../members/wire.ts'
import type { Download } from '../operation.ts'
import { PeriodFrom, PeriodTo, readEpochBounds } from '../shared/epoch-times.ts'
import { ChangedBy, CreatedAt, Id, OrgName, SortDirection } from '../shared/fields.ts'
import { LINKED_PAGE, Page, PerPageUpTo } from '../shared/page.ts'
import { about, Closed, OneOf, toEpoch } from '../shared/wire.ts'
import { type EventFilter, type MembershipEventRow, SORTS } from './store.ts'

const MAX_PER_PAGE = 100
const MAX_SEARCH = 255
const MAX_FILTERS = 100
const EVENT_TYPES = ['added', 'changed', 'removed'] as const

const FILTERS = {
  search: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      ...about(
        'Only changes where the name of the user or actor contains this text (case-insensitive)',
        'backend',
      ),
    }),
  ),
  event_type: Type.Optional(OneOf([...EVENT_TYPES], about('Only changes of this type'))),
  role: Type.Optional(
    Type.Array(OneOf([...ROLES]), {
      maxItems: MAX_FILTERS,
      ...about('Only changes to this role; may be repeated', ['member']),
    }),
  ),
  source: Type.Optional(
    Type.Array(OneOf([...SOURCES]), {
      maxItems: MAX_FILTERS,
      description: 'Only changes from this source; may be repeated',
    }),
  ),
  from_timestamp: PeriodFrom,
  to_timestamp: PeriodTo,
}

export const HistoryFilterQuery = Closed('MembershipHistoryFilter', FILTERS)
export type HistoryFilterQuery = Static<typeof HistoryFilterQuery>

export const HistoryQuery = Closed('MembershipHistoryQuery', {
  page: Page,
  per_page: PerPageUpTo(MAX_PER_PAGE),
  ...FILTERS,
  sort_by: Type.Optional(OneOf([...SORTS], about('Sort key'))),
  sort_dir: SortDirection,
})
export type HistoryQuery = Static<typeof HistoryQuery>

const MembershipEvent = Closed('MembershipEvent', {
  id: Id,
  event_type: OneOf([...EVENT_TYPES], { description: 'The change to the membership' }),
  user: Type.String(about('Name of the person at that time', 'ada')),
  changed_by: ChangedBy,
  role: Type.String(about('The new role; empty if the user was removed', 'member')),
  previous_role: Type.String(about('The previous role; empty if the user was added', 'reader')),
  source: OneOf([...SOURCES], about('Source of the change', 'app')),
  created_at: CreatedAt,
})

export const HistoryPage = Closed('MembershipHistoryPage', {
  ...LINKED_PAGE,
  events: Type.Array(MembershipEvent, about('The changes on this page')),
})

/** The content of the file, for the document: it is written as it is read, and never an object here. */
export const HistoryFile = Type.Unsafe<Download>(
  Closed('MembershipHistoryFile', {
    organization: OrgName,
    exported_at: Type.String(about('Time of the export, in ISO 8601', '2026-03-03T18:00:00.000Z')),
    events: Type.Array(
      Closed('MembershipHistoryFileEvent', {
        happened_at: Type.String(about('Time of the change, in ISO 8601', '2026-03-03T12:00:00.000Z')),
        ...MembershipEvent.properties,
      }),
      about('The changes, oldest first'),
    ),
  }),
)

/** An empty value counts as omitted: some clients send every parameter they know. */
export function buildFilter(query: HistoryFilterQuery): EventFilter {
  return {
    search: query.search || null,
    event_type: query.event_type ?? null,
    roles: query.role?.length ? query.role : null,
    sources: query.source?.length ? query.source : null,
    ...readEpochBounds(query, 'from_timestamp', 'to_timestamp'),
  }
}

export function toWire(row: MembershipEventRow): Static<typeof MembershipEvent> {
  return {
    id: toWireId(row.event_id),
    event_type: row.kind as Static<typeof MembershipEvent>['event_type'],
    user: row.user,
    changed_by: row.changed_by,
    role: row.role ?? '',
    previous_role: row.previous_role ?? '',
    source: row.source as Static<typeof MembershipEvent>['source'],
    created_at: toEpoch(row.created_at),
  }
}
