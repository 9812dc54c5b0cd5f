// GET /controls/{org}: the controls, by name, in pages.
import { defineOperation } from '../operation.ts'
import { buildLinkedEnvelope, readLinkedPageRequest, toSlice } from '../shared/page.ts'
import { parseTagFilter } from '../shared/tag-filter.ts'
import * as store from './store.ts'
import { ControlListQuery, ControlPage, ControlsPath, toWire } from './wire.ts'

export const listControls = defineOperation(
  {
    id: 'listControls',
    method: 'GET',
    path: '/controls/{org}',
    tag: 'Controls',
    summary: 'List controls',
    description: 'Sorted by name, then by identifier. Archived controls are only listed with `archived`.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    reads: 'replica',
    params: ControlsPath,
    query: ControlListQuery,
    returns: ControlPage,
    fails: [400, 403],
    example: {
      query: { page: '1', per_page: '15', search: 'change', tag: 'framework:iso', archived: 'false' },
    },
  },
  async ({ query, org, url }, { db, base_url }) => {
    const page = readLinkedPageRequest(query)
    const filter = {
      // Clients send unset filters as empty strings.
      search: query.search || null,
      archived: query.archived ?? false,
      ...parseTagFilter((query.tag ?? []).filter(tag => tag !== '')),
    }
    const order = { ...toSlice(page), descending: query.sort_direction === 'desc' }
    const { rows, total } = await db.withTransaction({ org_id: org.org_id }, tx =>
      store.listControls(tx, org.org_id, filter, order),
    )
    const controls = rows.map(row => toWire(row, { base_url, org: org.name }))
    return { controls, ...buildLinkedEnvelope(url, query, page, total) }
  },
)
