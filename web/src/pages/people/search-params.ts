// What the two logs take from the address: only what the API would accept, everything else is left out.
import type { paths } from '@waybill/client'

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export type AuditLogSearch = Given<
  NonNullable<paths['/membership-audit-log/{org}']['get']['parameters']['query']>
>
export type AuditEventsSearch = Given<NonNullable<paths['/audit-events/{org}']['get']['parameters']['query']>>
export type EventKind = NonNullable<AuditEventsSearch['kind']>[number]

export const EVENT_TYPES = ['added', 'changed', 'removed'] as const
export const ROLES = ['reader', 'snapshotter', 'member', 'admin'] as const
export const SOURCES = ['app', 'scim', 'invitation', 'script'] as const
export const SORT_KEYS = ['when', 'user', 'role', 'changed_by', 'source'] as const
export const DIRECTIONS = ['asc', 'desc'] as const
export const PAGE_SIZES = [15, 50, 100] as const

export type Role = (typeof ROLES)[number]

type Raw = Record<string, unknown>

export function readAuditLogSearch(raw: Raw): AuditLogSearch {
  return given({
    search: textOf(raw.search),
    event_type: oneOf(EVENT_TYPES, raw.event_type),
    role: someOf(ROLES, raw.role),
    source: someOf(SOURCES, raw.source),
    from_timestamp: numberOf(raw.from_timestamp),
    to_timestamp: numberOf(raw.to_timestamp),
    sort_by: oneOf(SORT_KEYS, raw.sort_by),
    sort_dir: oneOf(DIRECTIONS, raw.sort_dir),
    page: numberOf(raw.page),
    per_page: numberOf(raw.per_page),
  })
}

export function readAuditEventsSearch(raw: Raw): AuditEventsSearch {
  return given({
    // Which kinds there are is the server's to say: it names the one it does not know.
    kind: listOf(raw.kind) as EventKind[] | undefined,
    actor: textOf(raw.actor),
    flow_name: textOf(raw.flow_name),
    environment_name: textOf(raw.environment_name),
    control: textOf(raw.control),
    from_timestamp: numberOf(raw.from_timestamp),
    to_timestamp: numberOf(raw.to_timestamp),
    per_page: numberOf(raw.per_page),
    cursor: textOf(raw.cursor),
  })
}

/** Without what is not given, so that an empty filter leaves no trace in the address. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
}

function textOf(value: unknown): string | undefined {
  // The router reads `?actor=42` as a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function oneOf<const T extends string>(choices: readonly T[], value: unknown): T | undefined {
  return choices.find(choice => choice === value)
}

function someOf<const T extends string>(choices: readonly T[], value: unknown): T[] | undefined {
  const listed = listOf(value)
  const some = choices.filter(choice => listed?.includes(choice))
  return some.length > 0 ? some : undefined
}

function listOf(value: unknown): string[] | undefined {
  const list = (Array.isArray(value) ? value : [value]).filter(
    each => typeof each === 'string' && each !== '',
  )
  return list.length > 0 ? list : undefined
}
