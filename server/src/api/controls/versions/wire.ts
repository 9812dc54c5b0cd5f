// API schema of a version of a control.
import type { Static } from 'typebox'
import { VERSION_KINDS } from '../../../domain/control/change.ts'
import { ChangedBy, Version } from '../../shared/fields.ts'
import { about, Closed, OneOf, Time, toEpoch } from '../../shared/wire.ts'
import { Control, ControlLinks } from '../wire.ts'
import type { VersionRow } from './store.ts'

export const ControlVersion = Closed('ControlVersion', {
  version: Version,
  kind: OneOf([...VERSION_KINDS], about('The change that created the version', 'Edited')),
  name: Control.properties.name,
  description: Control.properties.description,
  links: ControlLinks,
  changed_by: ChangedBy,
  changed_at: Time('Time of the change'),
})

export function toWire(row: VersionRow): Static<typeof ControlVersion> {
  return {
    version: row.version,
    kind: row.kind as Static<typeof ControlVersion>['kind'],
    name: row.name,
    description: row.description,
    links: row.links,
    changed_by: row.changed_by,
    changed_at: toEpoch(row.changed_at),
  }
}
