// GET /approvals/{org}/{flow_name}/{number}: one approval, by its number or by its position from the newest.
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { DEPRECATED, noSuchApproval } from './problems.ts'
import * as store from './store.ts'
import { Approval, ApprovalPath, toWire } from './wire.ts'

export const getApproval = defineOperation(
  {
    id: 'getApproval',
    method: 'GET',
    path: '/approvals/{org}/{flow_name}/{number}',
    tag: 'Approvals',
    summary: 'Get an approval',
    access: 'reader',
    audit: 'none: reads',
    params: ApprovalPath,
    returns: Approval,
    fails: [400, 403, 404],
    deprecated: DEPRECATED,
    example: { params: { number: '-1' } },
  },
  ({ params, org }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, number } = params
      const flow_id = await requireFlow(tx, org, flow_name)
      const approval = await store.findApproval(tx, org.org_id, flow_id, number)
      if (!approval) throw noSuchApproval(number, flow_name, org.name)
      return toWire(approval)
    }),
)
