// What the members and the two logs take from the address: only what the API would accept, everything else is left out.
import type { paths } from '@waybill/client'
import { ROLES } from '../../parts/use-role.ts'
import {
  countOf,
  type Defined,
  defined,
  momentOf,
  oneOf,
  pageOf,
  someOf,
  type Typed,
  textOf,
  textsOf,
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
export type EventKind = NonNullable<AuditEventsSearch['kind']>[number]

export const EVENT_TYPES = ['added', 'changed', 'removed'] as const
export const SOURCES = ['app', 'scim', 'invitation', 'script'] as const
export const SORT_KEYS = ['when', 'user', 'role', 'changed_by', 'source'] as const
export const DIRECTIONS = ['asc', 'desc'] as const
const PAGE_SIZES = [15, 50, 100]
/** As long as a page of each log is, unless told. */
export const USUAL_CHANGES = 15
export const USUAL_EVENTS = 50

/** Those that are offered, and the one that somebody wrote into the address. */
export const pageSizes = (per_page: number): string[] =>
  [...new Set([...PAGE_SIZES, per_page])].sort((one, other) => one - other).map(String)

export function readMembersSearch(raw: Typed): MembersSearch {
  return defined({ search: textOf(raw.search), page: pageOf(raw.page) })
}

export function readAuditLogSearch(raw: Typed): AuditLogSearch {
  return defined({
    search: textOf(raw.search),
    event_type: oneOf(raw.event_type, EVENT_TYPES),
    role: someOf(raw.role, ROLES),
    source: someOf(raw.source, SOURCES),
    from_timestamp: momentOf(raw.from_timestamp),
    to_timestamp: momentOf(raw.to_timestamp),
    sort_by: oneOf(raw.sort_by, SORT_KEYS),
    sort_dir: oneOf(raw.sort_dir, DIRECTIONS),
    page: pageOf(raw.page),
    per_page: countOf(raw.per_page),
  })
}

export function readAuditEventsSearch(raw: Typed): AuditEventsSearch {
  return defined({
    // Which kinds there are is the server's to say: it names the one it does not know.
    kind: textsOf(raw.kind) as EventKind[] | undefined,
    actor: textOf(raw.actor),
    flow_name: textOf(raw.flow_name),
    environment_name: textOf(raw.environment_name),
    control: textOf(raw.control),
    from_timestamp: momentOf(raw.from_timestamp),
    to_timestamp: momentOf(raw.to_timestamp),
    per_page: countOf(raw.per_page),
    cursor: textOf(raw.cursor),
  })
}
