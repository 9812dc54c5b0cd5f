// Plans the effect of importing a catalogue on the existing controls: which are created, edited, archived or
// unarchived. Each step makes a separate version of the control.

import type { Tags } from '../tags.ts'
import type { Catalogue, CatalogueControl } from './catalogue.ts'
import { type ControlDefinition, editControl, type NewEntry, setArchived } from './change.ts'

export interface KnownControl extends ControlDefinition {
  control_id: string
  identifier: string
  tags: Tags
  version: number
  archived: boolean
}

export const CATALOGUE_CHANGES = ['created', 'updated', 'archived', 'unarchived', 'unchanged'] as const
export type CatalogueChange = (typeof CATALOGUE_CHANGES)[number]

interface TagChange {
  set_tags: Tags
  remove_tags: string[]
}

export interface PlannedControl {
  identifier: string
  /** Null for a new control. */
  control_id: string | null
  /** New history entries, oldest first; empty if only tags change, or nothing does. */
  entries: NewEntry[]
  tag_change: TagChange | null
  /** The state after the import. */
  after: ControlDefinition & { version: number; archived: boolean; tags: Tags }
}

export interface ImportSettings {
  /** Whether active controls that are missing from the catalogue are archived. */
  archive_missing: boolean
}

/** Every control of the catalogue in its order, followed by the controls archived because they are missing from it. */
export function planImport(
  catalogue: Catalogue,
  known: readonly KnownControl[],
  { archive_missing }: ImportSettings,
): PlannedControl[] {
  const byIdentifier = new Map(known.map(control => [control.identifier, control]))
  const named = new Set(catalogue.controls.map(({ identifier }) => identifier))
  const missing = known.filter(({ identifier, archived }) => !archived && !named.has(identifier))
  return [
    ...catalogue.controls.map(requested => {
      const before = byIdentifier.get(requested.identifier)
      return before ? planChange(before, requested, catalogue.has_all_tags) : planCreation(requested)
    }),
    ...(archive_missing ? missing.map(planArchival) : []),
  ]
}

/** A control that is both edited and archived has two changes; a control without any is `unchanged`. */
export function listChanges({ entries, tag_change }: PlannedControl): CatalogueChange[] {
  const changes = entries.map(({ kind }) => CHANGE_OF_KIND[kind])
  if (tag_change && !changes.includes('updated') && !changes.includes('created')) changes.push('updated')
  return changes.length === 0 ? ['unchanged'] : changes
}

const CHANGE_OF_KIND = {
  Created: 'created',
  Edited: 'updated',
  Archived: 'archived',
  Unarchived: 'unarchived',
} as const satisfies Record<NewEntry['kind'], CatalogueChange>

function planCreation(requested: CatalogueControl): PlannedControl {
  const definition = pickDefinition(requested)
  const first: NewEntry = { version: 1, kind: 'Created', definition, changes: [] }
  const archival = requested.archived
    ? setArchived({ ...definition, version: 1, archived: false }, true)
    : undefined
  const entries = archival ? [first, archival] : [first]
  const tags = requested.tags ?? {}
  const isTagged = Object.keys(tags).length > 0
  return {
    identifier: requested.identifier,
    control_id: null,
    entries,
    tag_change: isTagged ? { set_tags: tags, remove_tags: [] } : null,
    after: { ...definition, version: entries.length, archived: archival !== undefined, tags },
  }
}

/** Unarchives before editing, and edits before archiving. A control that stays archived is not edited. */
function planChange(
  before: KnownControl,
  requested: CatalogueControl,
  has_all_tags: boolean,
): PlannedControl {
  const entries: NewEntry[] = []
  let current = { ...pickDefinition(before), version: before.version, archived: before.archived }
  const addEntry = (entry: NewEntry | undefined, is_archived: boolean) => {
    if (!entry) return
    entries.push(entry)
    current = { ...entry.definition, version: entry.version, archived: is_archived }
  }
  if (before.archived && requested.archived !== false) return buildPlan(before, entries, current, before.tags)
  addEntry(setArchived(current, false), false)
  const edited = editControl(current, pickDefinition(requested))
  if (edited.outcome === 'new version') {
    const { version, kind, definition, changes } = edited
    addEntry({ version, kind, definition, changes }, false)
  }
  if (requested.archived) addEntry(setArchived(current, true), true)
  const tags = has_all_tags ? (requested.tags ?? before.tags) : { ...before.tags, ...requested.tags }
  return buildPlan(before, entries, current, tags)
}

function planArchival(before: KnownControl): PlannedControl {
  const entry = setArchived(before, true)
  const current = { ...pickDefinition(before), version: before.version + 1, archived: true }
  return buildPlan(before, entry ? [entry] : [], current, before.tags)
}

function buildPlan(
  { identifier, control_id, tags: tagsBefore }: KnownControl,
  entries: NewEntry[],
  current: Omit<PlannedControl['after'], 'tags'>,
  tags: Tags,
): PlannedControl {
  const after = { ...current, tags }
  return { identifier, control_id, entries, tag_change: computeTagChange(tagsBefore, tags), after }
}

function computeTagChange(before: Tags, after: Tags): TagChange | null {
  const set = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || before[key] !== value,
  )
  const remove_tags = Object.keys(before).filter(key => !Object.hasOwn(after, key))
  if (set.length === 0 && remove_tags.length === 0) return null
  return { set_tags: Object.fromEntries(set), remove_tags }
}

function pickDefinition({ name, description, links }: ControlDefinition): ControlDefinition {
  return { name, description, links }
}
