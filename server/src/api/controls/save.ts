// Creates, edits, archives and unarchives a control inside a transaction, each with its version and its event.
import type { Db } from '../../db/database.ts'
import {
  type ControlDefinition,
  editControl,
  type NewEntry,
  type RequestedEdit,
  setArchived,
} from '../../domain/control/change.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import type { Ids } from '../../lib/ids.ts'
import type { CallerOrg } from '../operation.ts'
import { controlIsArchived, noSuchControl } from './problems.ts'
import * as store from './store.ts'

export type ControlContext = RequestContext & { readonly org: CallerOrg }

export interface ControlInput extends ControlDefinition {
  identifier: string
}

/** Returns false and stores nothing when the identifier is taken, by an archived control too. */
export async function saveNewControl(
  tx: Db,
  context: ControlContext,
  ids: Ids,
  input: ControlInput,
): Promise<boolean> {
  const { org, caller, now } = context
  const control_id = ids.next()
  const control = { ...input, description: input.description || null, control_id, created_by: caller.name }
  if (!(await store.insertControl(tx, org.org_id, control, now))) return false
  const { identifier, name } = input
  await recordEvent(tx, context, ids, {
    kind: 'control_created',
    control_id,
    data: { identifier, name, version: 1 },
  })
  return true
}

/** Returns false and stores nothing when nothing changes. */
export async function saveControlEdit(
  tx: Db,
  context: ControlContext,
  ids: Ids,
  { identifier, edit }: { identifier: string; edit: RequestedEdit },
): Promise<boolean> {
  const before = await requireLockedControl(tx, context, identifier)
  const edited = editControl(before, edit)
  if (edited.outcome === 'archived') throw controlIsArchived(identifier)
  if (edited.outcome === 'unchanged') return false
  await addEntry(tx, context, before, edited)
  await recordEvent(tx, context, ids, {
    kind: 'control_updated',
    control_id: before.control_id,
    data: { identifier, version: edited.version, changes: edited.changes },
  })
  return true
}

/** Archives or unarchives a control. Returns false when nothing changes. */
export async function setControlArchived(
  tx: Db,
  context: ControlContext,
  ids: Ids,
  { identifier, archived }: { identifier: string; archived: boolean },
): Promise<boolean> {
  const before = await requireLockedControl(tx, context, identifier)
  const entry = setArchived(before, archived)
  if (!entry) return false
  await addEntry(tx, context, before, entry)
  await recordEvent(tx, context, ids, {
    kind: archived ? 'control_archived' : 'control_unarchived',
    control_id: before.control_id,
    data: { identifier, version: entry.version },
  })
  return true
}

async function requireLockedControl(
  tx: Db,
  { org }: ControlContext,
  identifier: string,
): Promise<store.LockedControl> {
  const control = await store.lockControl(tx, org.org_id, identifier)
  if (!control) throw noSuchControl(identifier, org.name)
  return control
}

async function addEntry(
  tx: Db,
  { org, caller, now }: ControlContext,
  { control_id }: store.LockedControl,
  { version, kind, definition }: NewEntry,
): Promise<void> {
  const entry = { control_id, version, kind, definition, changed_by: caller.name }
  await store.addVersion(tx, org.org_id, entry, now)
}
