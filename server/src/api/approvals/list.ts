// GET /approvals/{org}/{flow_name}: the approvals of a flow, newest first.
import { requireFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildPageHeaders, PAGE_HEADERS, readPageRequest, toSlice } from '../shared/page.ts'
import { DEPRECATED } from './problems.ts'
import * as store from './store.ts'
import { ApprovalList, ApprovalListQuery, toWire } from './wire.ts'

const DEFAULT_PER_PAGE = 15

export const listApprovals = defineOperation(
  {
    id: 'listApprovals',
    method: 'GET',
    path: '/approvals/{org}/{flow_name}',
    tag: 'Approvals',
    summary: 'List the approvals of a flow, newest first',
    access: 'reader',
    audit: 'none: reads',
    reads: 'replica',
    params: FlowPath,
    query: ApprovalListQuery,
    returns: ApprovalList,
    fails: [400, 403, 404],
    answer_headers: PAGE_HEADERS,
    deprecated: DEPRECATED,
    example: { query: { page: '1', per_page: '15' } },
  },
  ({ params, query, org, url }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const flow_id = await requireFlow(tx, org, params.flow_name)
      const page = readPageRequest(query, DEFAULT_PER_PAGE) ?? { page: 1, per_page: DEFAULT_PER_PAGE }
      const [rows, total] = await Promise.all([
        store.listApprovals(tx, org.org_id, flow_id, toSlice(page)),
        store.countApprovals(tx, org.org_id, flow_id),
      ])
      return new Answer(200, rows.map(toWire), buildPageHeaders(url, query, page, total))
    }),
)
