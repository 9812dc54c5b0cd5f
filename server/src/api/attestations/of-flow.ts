// GET /attestations/{org}/{flow_name}: the attestations of one flow, newest first, paged by cursor.
import { requireFlow } from '../flows/problems.ts'
import { FlowPath } from '../flows/wire.ts'
import { defineOperation } from '../operation.ts'
import { listAttestationPage } from './list.ts'
import { AttestationPage, AttestationsOfFlowQuery } from './wire.ts'

export const listAttestationsOfFlow = defineOperation(
  {
    id: 'listAttestationsOfFlow',
    method: 'GET',
    path: '/attestations/{org}/{flow_name}',
    tag: 'Attestations',
    summary: 'List the attestations of a flow, newest first',
    description: 'Paged by cursor: send `pagination.after` of one page as `after` to get the next',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: FlowPath,
    query: AttestationsOfFlowQuery,
    returns: AttestationPage,
    fails: [400, 403, 404],
    example: { query: { name: 'unit-tests', is_compliant: 'true' } },
  },
  async ({ params, query, org }, { db, base_url }) => {
    const { org_id } = org
    const flow_id = await db.withTransaction({ org_id }, tx =>
      requireFlow(tx, org, params.flow_name, query.archived),
    )
    return listAttestationPage(query, flow_id, { base_url, org: org.name, org_id }, db)
  },
)
