// The query parameters of members and the two logs. Values that the API would not accept are dropped.
import type { paths } from '@waybill/client'
import type { EventKind } from '../../live/affected.ts'
import { ROLES } from '../../parts/use-role.ts'
import {
  type Defined,
  dropUndefined,
  pickOne,
  pickSome,
  type RawSearch,
  readCount,
  readPage,
  readText,
  readTexts,
  readTime,
} from '../../ui/search-params.ts'

export interface MembersSearch {
  search?: string
  page?: number
}

export type AuditLogSearch = Defined<
  NonNullable<paths['/membership-audit-log/{org}']['get']['parameters']['query']>
>
export type AuditEventsSearch = Defined<
  NonNullable<paths['/audit-events/{org}']['get']['parameters']['query']>
>

export const EVENT_TYPES = ['added', 'changed', 'removed'] as const
export const SOURCES = ['app', 'scim', 'invitation', 'script'] as const
export const SORT_KEYS = ['when', 'user', 'role', 'changed_by', 'source'] as const
const DIRECTIONS = ['asc', 'desc'] as const
const PAGE_SIZES = [15, 50, 100]
/** The default page size of each log. */
export const DEFAULT_CHANGES = 15
export const DEFAULT_EVENTS = 50

/** The offered page sizes, and the one from the address. */
export const listPageSizes = (per_page: number): string[] =>
  [...new Set([...PAGE_SIZES, per_page])].sort((one, other) => one - other).map(String)

export function readMembersSearch(raw: RawSearch): MembersSearch {
  return dropUndefined({ search: readText(raw.search), page: readPage(raw.page) })
}

export function readAuditLogSearch(raw: RawSearch): AuditLogSearch {
  return dropUndefined({
    search: readText(raw.search),
    event_type: pickOne(raw.event_type, EVENT_TYPES),
    role: pickSome(raw.role, ROLES),
    source: pickSome(raw.source, SOURCES),
    from_timestamp: readTime(raw.from_timestamp),
    to_timestamp: readTime(raw.to_timestamp),
    sort_by: pickOne(raw.sort_by, SORT_KEYS),
    sort_dir: pickOne(raw.sort_dir, DIRECTIONS),
    page: readPage(raw.page),
    per_page: readCount(raw.per_page),
  })
}

export function readAuditEventsSearch(raw: RawSearch): AuditEventsSearch {
  return dropUndefined({
    // Unknown kinds are not dropped, because the server's error names them.
    kind: readTexts(raw.kind) as EventKind[] | undefined,
    actor: readText(raw.actor),
    flow_name: readText(raw.flow_name),
    environment_name: readText(raw.environment_name),
    control: readText(raw.control),
    from_timestamp: readTime(raw.from_timestamp),
    to_timestamp: readTime(raw.to_timestamp),
    per_page: readCount(raw.per_page),
    cursor: readText(raw.cursor),
  })
}
