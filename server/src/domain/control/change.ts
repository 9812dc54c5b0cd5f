// Versions of a control: every change of its definition, and every archiving or unarchiving, creates a version. Tags
// are not part of the definition.
import { applyPatch } from '../trail/changes.ts'

export const VERSION_KINDS = ['Created', 'Edited', 'Archived', 'Unarchived'] as const
export type VersionKind = (typeof VERSION_KINDS)[number]

export type Links = Record<string, string>

export interface ControlDefinition {
  name: string
  description: string | null
  /** Label to URL. */
  links: Links
}

export interface CurrentControl extends ControlDefinition {
  version: number
  archived: boolean
}

/** Omitted fields keep their value. An empty description removes it. */
export type RequestedEdit = Partial<ControlDefinition>

/** The new entry of the history. */
export interface NewEntry {
  version: number
  kind: VersionKind
  definition: ControlDefinition
  /** The fields that differ, in alphabetical order. */
  changes: string[]
}

export type EditResult =
  | { outcome: 'unchanged' }
  | { outcome: 'archived' }
  | ({ outcome: 'new version' } & NewEntry)

/** An archived control cannot be edited; it must be unarchived first. */
export function editControl(before: CurrentControl, requested: RequestedEdit): EditResult {
  if (before.archived) return { outcome: 'archived' }
  const { next, changes } = applyPatch(pickDefinition(before), {
    ...requested,
    ...(requested.description === undefined ? {} : { description: requested.description || null }),
  })
  if (changes.length === 0) return { outcome: 'unchanged' }
  return { outcome: 'new version', version: before.version + 1, kind: 'Edited', definition: next, changes }
}

/** Undefined if it is in that state already. */
export function setArchived(before: CurrentControl, archived: boolean): NewEntry | undefined {
  if (before.archived === archived) return undefined
  const kind = archived ? 'Archived' : 'Unarchived'
  return { version: before.version + 1, kind, definition: pickDefinition(before), changes: [] }
}

function pickDefinition({ name, description, links }: ControlDefinition): ControlDefinition {
  return { name, description, links }
}
