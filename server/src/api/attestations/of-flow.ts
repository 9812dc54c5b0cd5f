// GET /attestations/{org}/{flow_name}: the attestations of one flow, newest first, paged by cursor or by number.
import type { Static } from 'typebox'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { requireFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { defineOperation } from '../operation.ts'
import { buildPagination, type PageRequest, toSlice } from '../shared/page.ts'
import { buildFilter, getPerPage, listAttestationPage } from './list.ts'
import { listNumberedAttestations } from './store.ts'
import { AttestationsOfFlowPage, AttestationsOfFlowQuery, type Site, toWire } from './wire.ts'

type FlowQuery = Static<typeof AttestationsOfFlowQuery>

export const listAttestationsOfFlow = defineOperation(
  {
    id: 'listAttestationsOfFlow',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}',
    tag: 'Attestations',
    summary: 'List the attestations of a flow, newest first',
    description:
      'Paged by cursor: send `pagination.after` of one page as `after` to get the next. With `page`, or with ' +
      '`per_page` and neither `after` nor `name_regex`, it is also paged by number, and all pages are counted.',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: FlowPath,
    query: AttestationsOfFlowQuery,
    returns: AttestationsOfFlowPage,
    fails: [400, 403, 404],
    example: { query: { name: 'unit-tests', is_compliant: 'true', page: '1', per_page: '20' } },
  },
  async ({ params, query, org }, { db, base_url }) => {
    const { org_id } = org
    const site = { base_url, org: org.name, org_id }
    const page = readPageNumber(query)
    const flow_id = await db.withTransaction({ org_id }, tx =>
      requireFlow(tx, org, params.flow_name, query.archived),
    )
    if (page === undefined) return listAttestationPage(query, flow_id, site, db)
    const requested = { page, per_page: getPerPage(query) }
    return db.withTransaction({ org_id }, tx => listNumberedPage(tx, { ...query, flow_id }, requested, site))
  },
)

/** Undefined for a page that follows a cursor, and for a search, which does not count what it would find. */
function readPageNumber({ page, per_page, after, name_regex }: FlowQuery): number | undefined {
  const other = after === undefined ? (name_regex === undefined ? undefined : 'name_regex') : 'after'
  if (other === undefined) return page ?? (per_page === undefined ? undefined : 1)
  if (page === undefined) return undefined
  throw invalid({ 'query.page': `Give page or ${other}, not both` })
}

async function listNumberedPage(
  tx: Db,
  { flow_id, ...query }: FlowQuery & { flow_id: string },
  requested: PageRequest,
  site: Site,
) {
  const filter = { ...buildFilter(query, flow_id), flow_id }
  const { rows, total } = await listNumberedAttestations(tx, site.org_id, filter, toSlice(requested))
  const pagination = buildPagination(requested, total)
  const last = pagination.page < pagination.page_count ? rows.at(-1) : undefined
  return {
    data: rows.map(row => toWire(row, site)),
    pagination: { ...pagination, after: last ? toWireId(last.attestation_id) : null },
  }
}
