// GET /controls/{org}/{identifier}/versions and …/versions/{version}: the versions of a control.
import { type Static, Type } from 'typebox'
import { VERSION_KINDS } from '../../../domain/control/change.ts'
import { defineOperation } from '../../operation.ts'
import { ChangedBy, Version, VersionInput } from '../../shared/fields.ts'
import { buildLinkedEnvelope, LINKED_PAGE, Page, readLinkedPageRequest, toSlice } from '../../shared/page.ts'
import { about, Closed, OneOf, Time, toEpoch } from '../../shared/wire.ts'
import { noSuchControl, noSuchVersion } from '../problems.ts'
import { Control, ControlLinks, ControlPath, PerControlPage } from '../wire.ts'
import { findControlVersion, listVersions, type VersionRow } from './store.ts'

const ControlVersion = Closed('ControlVersion', {
  version: Version,
  kind: OneOf([...VERSION_KINDS], about('The change that created the version', 'Edited')),
  name: Control.properties.name,
  description: Control.properties.description,
  links: ControlLinks,
  changed_by: ChangedBy,
  changed_at: Time('Time of the change'),
})

export const listControlVersions = defineOperation(
  {
    id: 'listControlVersions',
    method: 'GET',
    path: '/controls/{org}/{identifier}/versions',
    tag: 'Controls',
    summary: 'List the versions of a control',
    description:
      'Newest first, each with the definition at that time. Creating, editing, archiving and unarchiving make a version; ' +
      'tagging does not.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlPath,
    query: Closed('ControlVersionsQuery', { page: Page, per_page: PerControlPage }),
    returns: Closed('ControlVersionPage', {
      versions: Type.Array(ControlVersion, about('The versions on this page')),
      ...LINKED_PAGE,
    }),
    fails: [400, 403, 404],
    example: { params: { identifier: 'control-to-read' }, query: { page: '1', per_page: '15' } },
  },
  async ({ params, query, org, url }, { db }) => {
    const { identifier } = params
    const page = readLinkedPageRequest(query)
    const found = await db.withTransaction({ org_id: org.org_id }, tx =>
      listVersions(tx, org.org_id, identifier, toSlice(page)),
    )
    if (!found) throw noSuchControl(identifier, org.name)
    return { versions: found.rows.map(toWire), ...buildLinkedEnvelope(url, query, page, found.total) }
  },
)

export const getControlVersion = defineOperation(
  {
    id: 'getControlVersion',
    method: 'GET',
    path: '/controls/{org}/{identifier}/versions/{version}',
    tag: 'Controls',
    summary: 'Get a version of a control',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: Closed('ControlVersionPath', {
      ...ControlPath.properties,
      version: VersionInput,
    }),
    returns: ControlVersion,
    fails: [400, 403, 404],
    example: { params: { identifier: 'control-to-read', version: '1' } },
  },
  async ({ params, org }, { db }) => {
    const { identifier, version } = params
    const control = await findControlVersion(db, org.org_id, { identifier, version })
    if (!control) throw noSuchControl(identifier, org.name)
    if (!control.found) throw noSuchVersion(version, identifier)
    return toWire(control.found)
  },
)

function toWire(row: VersionRow): Static<typeof ControlVersion> {
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
