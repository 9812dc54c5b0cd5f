// GET /controls/{org}/{identifier}/versions: the versions of a control.
import { Type } from 'typebox'
import { defineOperation } from '../../operation.ts'
import { SortDirection } from '../../shared/fields.ts'
import { buildLinkedEnvelope, LINKED_PAGE, Page, readLinkedPageRequest, toSlice } from '../../shared/page.ts'
import { about, Closed } from '../../shared/wire.ts'
import { noSuchControl } from '../problems.ts'
import { ControlPath, PerControlPage } from '../wire.ts'
import { listVersions } from './store.ts'
import { ControlVersion, toWire } from './wire.ts'

export const listControlVersions = defineOperation(
  {
    id: 'listControlVersions',
    method: 'GET',
    path: '/controls/{org}/{identifier}/versions',
    tag: 'Controls',
    summary: 'List the versions of a control',
    description:
      'Newest first by default, each with the definition at that time. Creating, editing, archiving and unarchiving make a version; ' +
      'tagging does not.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ControlPath,
    query: Closed('ControlVersionsQuery', {
      page: Page,
      per_page: PerControlPage,
      sort_direction: SortDirection,
    }),
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
    const slice = { ...toSlice(page), direction: query.sort_direction ?? 'desc' }
    const found = await db.withTransaction({ org_id: org.org_id }, tx =>
      listVersions(tx, org.org_id, identifier, slice),
    )
    if (!found) throw noSuchControl(identifier, org.name)
    return { versions: found.rows.map(toWire), ...buildLinkedEnvelope(url, query, page, found.total) }
  },
)
