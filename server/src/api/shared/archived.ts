// What is archived is hidden, never lost: how callers ask for it, and how lists say what they leave out.
import { Type } from 'typebox'
import { Closed } from './wire.ts'

/** On a read by name. */
export const IncludeArchived = Type.Optional(
  Type.Boolean({ description: 'Also answers what is archived, or belongs to something archived' }),
)

/** What a read by name takes that takes nothing else. */
export const ArchivedQuery = Closed('ArchivedQuery', { archived: IncludeArchived })

/** On a list. */
export const OnlyArchived = Type.Optional(
  Type.Boolean({ description: 'Lists what is archived instead of what is not' }),
)

export const ARCHIVED_COUNT = 'Waybill-Archived-Count'

/** On a list of what is not archived: how many match the same filters and are archived. */
export function buildArchivedCountHeader(archived: number): Record<string, string> {
  return { [ARCHIVED_COUNT.toLowerCase()]: String(archived) }
}

export interface Counts {
  total: number
  archived: number
}

/** How many there are of what was asked for, and of what was left out. */
export function summarizeCounts(only_archived: boolean, counted: Counts | undefined) {
  const { total, archived } = counted ?? { total: 0, archived: 0 }
  return only_archived
    ? { total: archived, headers: {} }
    : { total, headers: buildArchivedCountHeader(archived) }
}
