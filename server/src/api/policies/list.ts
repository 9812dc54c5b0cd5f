// GET /policies/{org}: every policy of the org with its versions, or one page of them.
import { badRequest } from '../../lib/errors.ts'
import { Answer, defineOperation } from '../operation.ts'
import { ARCHIVED_COUNT, summarizeCounts } from '../shared/archived.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import * as lists from './list-store.ts'
import type { PolicyRow } from './store.ts'
import { PoliciesPath, PolicyList, PolicyListQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 20

export const listPolicies = defineOperation(
  {
    id: 'listPolicies',
    method: 'GET',
    path: '/policies/{org}',
    tag: 'Policies',
    summary: 'List policies',
    description:
      'Sorted by name. A plain array with all versions; with `page` or `per_page` an envelope, in which each policy has only ' +
      'its newest version and no events. Archived policies are left out and counted in a header.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: PoliciesPath,
    query: PolicyListQuery,
    returns: PolicyList,
    answer_headers: [ARCHIVED_COUNT],
    fails: [400, 403],
    example: { query: { page: '1', per_page: '20', search_by_name: 'rules' } },
  },
  async ({ query, org }, { db, base_url }) => {
    if (query.search_by_name === '') throw badRequest('Empty string is not allowed for policy names.')
    const archived = query.archived ?? false
    const filter = {
      archived,
      search_by_name: query.search_by_name ?? null,
      case_sensitive: query.case_sensitive ?? true,
    }
    const show = (row: PolicyRow) => toWire(row, { base_url, org: org.name })
    const page = readPageRequest(query, DEFAULT_PER_PAGE)
    const { rows, counted } = await db.withTransaction({ org_id: org.org_id }, tx =>
      page
        ? lists.listPoliciesPage(tx, org.org_id, filter, toSlice(page))
        : lists.listPolicies(tx, org.org_id, filter),
    )
    const { total, headers } = summarizeCounts(archived, counted)
    const data = rows.map(show)
    return new Answer(200, page ? { data, pagination: buildPagination(page, total) } : data, headers)
  },
)
