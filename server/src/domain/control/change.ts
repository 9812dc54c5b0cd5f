// What a change makes of a control: another definition is another version, and so is archiving and unarchiving. Tags are
// no part of the definition.
import { applyPatch } from '../trail/changes.ts'

export const VERSION_KINDS = ['Created', 'Edited', 'Archived', 'Unarchived'] as const
export type VersionKind = (typeof VERSION_KINDS)[number]

export type Links = Record<string, string>

export interface ControlDefinition {
  name: string
  description: string | null
  /** Label to address. */
  links: Links
}

export interface CurrentControl extends ControlDefinition {
  version: number
  archived: boolean
}

/** What is absent stays. An empty description is none. */
export type RequestedEdit = Partial<ControlDefinition>

/** The entry that the history gets. */
export interface NewEntry {
  version: number
  kind: VersionKind
  definition: ControlDefinition
  /** The fields that differ, in the order of the alphabet. */
  changes: string[]
}

export type EditResult =
  | { outcome: 'unchanged' }
  | { outcome: 'archived' }
  | ({ outcome: 'new version' } & NewEntry)

/** An archived control is not edited, whatever is asked: it has to come back first. */
export function editControl(before: CurrentControl, requested: RequestedEdit): EditResult {
  if (before.archived) return { outcome: 'archived' }
  const { next, changes } = applyPatch(pickDefinition(before), {
    ...requested,
    ...(requested.description === undefined ? {} : { description: requested.description || null }),
  })
  if (changes.length === 0) return { outcome: 'unchanged' }
  return { outcome: 'new version', version: before.version + 1, kind: 'Edited', definition: next, changes }
}

/** Undefined when it is so already. */
export function setArchived(before: CurrentControl, archived: boolean): NewEntry | undefined {
  if (before.archived === archived) return undefined
  const kind = archived ? 'Archived' : 'Unarchived'
  return { version: before.version + 1, kind, definition: pickDefinition(before), changes: [] }
}

function pickDefinition({ name, description, links }: ControlDefinition): ControlDefinition {
  return { name, description, links }
}
