// PUT /flows/{org}/{flow_name}/archive: hides the flow from lists and frees its name. Its history stays.
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { noSuchFlow } from './problems.ts'
import * as store from './store.ts'
import { FlowPath } from './wire.ts'

export const archiveFlow = defineOperation(
  {
    id: 'archiveFlow',
    method: 'PUT',
    path: '/flows/{org}/{flow_name}/archive',
    tag: 'Flows',
    summary: 'Archive a flow',
    description: 'Archiving it again changes nothing. Unarchiving restores it as it was.',
    access: 'member',
    audit: 'flow_archived',
    params: FlowPath,
    returns: Ok,
    fails: [403, 404],
  },
  (request, { db, ids }) => {
    const { params, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const flow = await store.lockFlow(tx, org.org_id, params.flow_name)
      if (!flow) throw noSuchFlow(params.flow_name, org.name)
      if (flow.archived_at) return OK
      await store.archiveFlow(tx, org.org_id, flow.flow_id, now)
      const data = { flow_name: flow.name }
      await recordEvent(tx, request, ids, { kind: 'flow_archived', flow_id: flow.flow_id, data })
      return OK
    })
  },
)
