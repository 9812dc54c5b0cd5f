// Creating, editing, archiving and unarchiving a control inside a transaction, each with its version and its event.
import type { Db } from '../../db/database.ts'
import {
  type AskedEdit,
  type ControlDefinition,
  editControl,
  moveControl,
  type NewEntry,
} from '../../domain/control/change.ts'
import { type Occasion, record } from '../../events/record.ts'
import type { Ids } from '../../lib/ids.ts'
import type { CallerOrg } from '../operation.ts'
import { controlIsArchived, noSuchControl } from './problems.ts'
import * as store from './store.ts'

export type ControlOccasion = Occasion & { readonly org: CallerOrg }

export interface WantedControl extends ControlDefinition {
  identifier: string
}

/** False when one of that identifier is there already, archived or not: then nothing is stored. */
export async function createControlIn(
  tx: Db,
  occasion: ControlOccasion,
  ids: Ids,
  wanted: WantedControl,
): Promise<boolean> {
  const { org, caller, now } = occasion
  const control_id = ids.next()
  const control = { ...wanted, description: wanted.description || null, control_id, created_by: caller.name }
  if (!(await store.insertControl(tx, org.org_id, control, now))) return false
  const { identifier, name } = wanted
  await record(tx, occasion, ids, {
    kind: 'control_created',
    control_id,
    data: { identifier, name, version: 1 },
  })
  return true
}

/** False when nothing is to be changed: then nothing is stored. */
export async function editControlIn(
  tx: Db,
  occasion: ControlOccasion,
  ids: Ids,
  { identifier, asked }: { identifier: string; asked: AskedEdit },
): Promise<boolean> {
  const before = await locked(tx, occasion, identifier)
  const edited = editControl(before, asked)
  if (edited.outcome === 'archived') throw controlIsArchived(identifier)
  if (edited.outcome === 'unchanged') return false
  await addEntry(tx, occasion, before, edited)
  await record(tx, occasion, ids, {
    kind: 'control_updated',
    control_id: before.control_id,
    data: { identifier, version: edited.version, changes: edited.changes },
  })
  return true
}

/** Out of the catalogue, or back into it. False when it is so already. */
export async function moveControlIn(
  tx: Db,
  occasion: ControlOccasion,
  ids: Ids,
  { identifier, archived }: { identifier: string; archived: boolean },
): Promise<boolean> {
  const before = await locked(tx, occasion, identifier)
  const entry = moveControl(before, archived)
  if (!entry) return false
  await addEntry(tx, occasion, before, entry)
  await record(tx, occasion, ids, {
    kind: archived ? 'control_archived' : 'control_unarchived',
    control_id: before.control_id,
    data: { identifier, version: entry.version },
  })
  return true
}

async function locked(tx: Db, { org }: ControlOccasion, identifier: string): Promise<store.LockedControl> {
  const control = await store.lockControl(tx, org.org_id, identifier)
  if (!control) throw noSuchControl(identifier, org.name)
  return control
}

async function addEntry(
  tx: Db,
  { org, caller, now }: ControlOccasion,
  { control_id }: store.LockedControl,
  { version, kind, definition }: NewEntry,
): Promise<void> {
  const entry = { control_id, version, kind, definition, changed_by: caller.name }
  await store.addVersion(tx, org.org_id, entry, now)
}
