// GET /flows/{org}: all flows of the organization, or one page of them.
import { badRequest } from '../../lib/errors.ts'
import { Answer, defineOperation } from '../operation.ts'
import { ARCHIVED_COUNT, summarizeCounts } from '../shared/archived.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import { listFlows as readPage } from './list-store.ts'
import { FlowList, FlowListQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 20

export const listFlows = defineOperation(
  {
    id: 'listFlows',
    method: 'GET',
    path: '/flows/{org}',
    tag: 'Flows',
    summary: 'List flows',
    description:
      'A plain array, or an envelope if `page` or `per_page` is given. Leaves out archived flows and counts them in ' +
      'a header.',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: FlowListQuery,
    returns: FlowList,
    answer_headers: [ARCHIVED_COUNT],
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20', search_by_name: 'ci' } },
  },
  async ({ query, org }, { db }) => {
    if (query.search_by_name === '') throw badRequest('Empty string is not allowed for flow names.')
    const page = readPageRequest(query, DEFAULT_PER_PAGE)
    const archived = query.archived ?? false
    const filter = {
      archived,
      public_only: org.is_visitor === true,
      search_by_name: query.search_by_name ?? null,
      case_sensitive: query.case_sensitive ?? true,
      tags: query.tag ?? null,
      sort: query.sort ?? 'name',
      descending: query.sort_direction === 'desc',
    } as const
    const slice = page ? toSlice(page) : { limit: null, offset: 0 }
    const matchesNone = query.space_id !== undefined
    const { rows, counted } = await db.withTransaction({ org_id: org.org_id }, async tx =>
      matchesNone ? { rows: [], counted: undefined } : readPage(tx, org.org_id, filter, slice),
    )
    const { total, headers } = summarizeCounts(archived, counted)
    const data = rows.map(row => toWire(row, org.name))
    return new Answer(200, page ? { data, pagination: buildPagination(page, total) } : data, headers)
  },
)
