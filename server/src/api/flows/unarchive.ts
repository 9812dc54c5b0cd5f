// PUT /flows/{org}/{flow_name}/unarchive: restores an archived flow as it was.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { noSuchFlow } from './problems.ts'
import * as store from './store.ts'
import { FlowPath } from './wire.ts'

export const unarchiveFlow = defineOperation(
  {
    id: 'unarchiveFlow',
    method: 'PUT',
    path: '/flows/{org}/{flow_name}/unarchive',
    tag: 'Flows',
    summary: 'Unarchive a flow',
    description: 'Restores the flow as it was. Changes nothing if it is not archived.',
    access: 'member',
    audit: 'flow_unarchived',
    params: FlowPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const flow = await store.lockFlow(tx, org.org_id, params.flow_name)
      if (!flow) throw noSuchFlow(params.flow_name, org.name)
      if (!flow.archived_at) return OK
      const { flow_id, name: flow_name } = flow
      await store.unarchiveFlow(tx, org.org_id, flow_id, now)
      await recordEvent(tx, request, ids, { kind: 'flow_unarchived', flow_id, data: { flow_name } })
      return OK
    })
  },
)
