// GET /trails/{org}/{flow_name}: the trails of one flow, newest first.
import { requireFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildPagination, readPageRequest, toSlice } from '../shared/page.ts'
import { listTrails } from './list-store.ts'
import { TrailList, TrailsOfFlowQuery, toSummary } from './wire.ts'

const DEFAULT_PER_PAGE = 20
const MAX_UNPAGED = 1_000

export const listTrailsOfFlow = defineOperation(
  {
    id: 'listTrailsOfFlow',
    method: 'GET',
    path: '/trails/{org}/{flow_name}',
    tag: 'Trails',
    summary: 'List the trails of a flow, newest first',
    description: `A plain array of the newest ${MAX_UNPAGED}; with \`page\` or \`per_page\` an envelope. \`X-Total-Count\` has the total.`,
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: FlowPath,
    query: TrailsOfFlowQuery,
    returns: TrailList,
    answer_headers: ['X-Total-Count'],
    fails: [400, 403, 404],
    example: { query: { page: '1', per_page: '20' } },
  },
  async ({ params, query, org }, { db, base_url }) => {
    const { org_id } = org
    const page = readPageRequest(query, DEFAULT_PER_PAGE)
    const { rows, total } = await db.withTransaction({ org_id }, async tx => {
      const flow_id = await requireFlow(tx, org, params.flow_name, query.archived)
      const { fingerprint = null } = query
      // The flow is named explicitly, so it may be archived, and there is no time limit.
      const unfiltered = { archived: null, tag_key: null, tag_value: null, from_at: null, to_at: null }
      const slice = page ? toSlice(page) : { limit: MAX_UNPAGED, offset: 0 }
      return listTrails(tx, org_id, { ...unfiltered, flow_id, fingerprint }, query, slice)
    })
    const data = rows.map(row => toSummary(row, { base_url, org: org.name }))
    const answer = page ? { data, pagination: buildPagination(page, total) } : data
    return new Answer(200, answer, { 'x-total-count': String(total) })
  },
)
