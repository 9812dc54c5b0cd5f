// Archived resources are hidden, never lost: the query parameters that include them, and the header that counts those
// left out of a list.
import { Type } from 'typebox'
import { about, Closed } from './wire.ts'

/** For reads of one resource by name. */
export const IncludeArchived = Type.Optional(
  Type.Boolean(about('Also return the resource if it, or what it belongs to, is archived', false)),
)

/** For reads by name without other parameters. */
export const ArchivedQuery = Closed('ArchivedQuery', { archived: IncludeArchived })

/** For lists. */
export const OnlyArchived = Type.Optional(
  Type.Boolean(about('List archived resources instead of active ones', false)),
)

export const ARCHIVED_COUNT = 'Waybill-Archived-Count'

/** For lists of active resources: how many archived ones match the same filters. */
function buildArchivedCountHeader(archived: number): Record<string, string> {
  return { [ARCHIVED_COUNT.toLowerCase()]: String(archived) }
}

export interface Counts {
  total: number
  archived: number
}

/** The total of the list, and the header that counts the archived resources left out of it. */
export function summarizeCounts(only_archived: boolean, counted: Counts | undefined) {
  const { total, archived } = counted ?? { total: 0, archived: 0 }
  return only_archived
    ? { total: archived, headers: {} }
    : { total, headers: buildArchivedCountHeader(archived) }
}
