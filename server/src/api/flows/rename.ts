// PUT /flows/{org}/{flow_name}/rename: the old name keeps working until another flow takes it.

import { requestFlowEvaluations } from '../../evaluation/pending-store.ts'
import { recordEvent } from '../../events/record.ts'
import { invalid } from '../../lib/errors.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok, toEpoch } from '../shared/wire.ts'
import { requireActiveFlow } from './problems.ts'
import * as store from './store.ts'
import { FlowPath, FlowRename } from './wire.ts'

export const renameFlow = defineOperation(
  {
    id: 'renameFlow',
    method: 'PUT',
    path: '/flows/{org}/{flow_name}/rename',
    tag: 'Flows',
    summary: 'Rename a flow',
    access: 'member',
    audit: 'flow_renamed',
    params: FlowPath,
    body: FlowRename,
    returns: Ok,
    fails: [400, 403, 404],
    example: { body: { new_name: 'backend-build' } },
  },
  (request, { db, ids }) => {
    const { params, body, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { new_name } = body
      const locked = await store.lockFlow(tx, org.org_id, params.flow_name)
      const flow = requireActiveFlow(locked, org.name, params.flow_name)
      if (flow.name === new_name) return OK
      const holder = await store.lockFlowByName(tx, org.org_id, new_name)
      if (holder && holder.archived_at === null) {
        throw invalid({ new_name: `A flow named '${new_name}' already exists in organization '${org.name}'` })
      }
      const { flow_id, name: old_name } = flow
      // With milliseconds: two flows of one name, archived in the same second, need different names.
      const name_for_archived = `${new_name}-archived-at-${toEpoch(holder?.archived_at ?? now)}`
      await store.renameFlow(tx, org.org_id, { flow_id, old_name, new_name, name_for_archived, now })
      await recordEvent(tx, request, ids, { kind: 'flow_renamed', flow_id, data: { old_name, new_name } })
      await requestFlowEvaluations(tx, org.org_id, { flow_id, actor: request.caller.name, now })
      return OK
    })
  },
)
