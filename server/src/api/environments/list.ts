// GET /environments/{org}: all environments of the organization, or one page of them.

import { computeOverdueBefore } from '../../domain/control/state.ts'
import { Answer, defineOperation } from '../operation.ts'
import { ARCHIVED_COUNT, summarizeCounts } from '../shared/archived.ts'
import { OrgPath } from '../shared/fields.ts'
import { buildLinkedEnvelope, readPageRequest, toSlice } from '../shared/page.ts'
import { listEnvironments as readPage } from './list-store.ts'
import { EnvironmentList, EnvironmentListQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listEnvironments = defineOperation(
  {
    id: 'listEnvironments',
    method: 'GET',
    path: '/environments/{org}',
    tag: 'Environments',
    summary: 'List environments',
    description:
      'A plain array, or an envelope if `page` or `per_page` is given. Leaves out archived environments and counts ' +
      'them in a header.',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: OrgPath,
    query: EnvironmentListQuery,
    returns: EnvironmentList,
    answer_headers: [ARCHIVED_COUNT],
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', name: 'prod', type: 'K8S', sort: 'last_changed_at' } },
  },
  async ({ query, org, url, now }, { db, base_url }) => {
    const page = readPageRequest(query, DEFAULT_PER_PAGE)
    const filter = {
      name: query.name ?? null,
      types: query.type ?? null,
      tags: query.tag ?? null,
      state: query.state ?? null,
      compliance: query.compliance ?? null,
      now,
      overdue_before: computeOverdueBefore(now),
    }
    const archived = query.archived ?? false
    const order = {
      archived,
      sort: query.sort ?? 'name',
      descending: query.sort_direction === 'desc',
      ...(page ? toSlice(page) : { limit: null, offset: 0 }),
    } as const
    const matchesNone = query.space_id !== undefined
    const { rows, counted } = await db.withTransaction({ org_id: org.org_id }, async tx =>
      matchesNone ? { rows: [], counted: undefined } : readPage(tx, org.org_id, filter, order),
    )
    const { total, headers } = summarizeCounts(archived, counted)
    const environments = rows.map(row => toWire(row, { org: org.name, base_url, now }))
    const body = page ? { environments, ...buildLinkedEnvelope(url, query, page, total) } : environments
    return new Answer(200, body, headers)
  },
)
