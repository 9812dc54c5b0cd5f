// GET /flows/{org}/{flow_name}: one flow, by its name or an unused former name.
import { defineOperation } from '../operation.ts'
import { ArchivedQuery } from '../shared/archived.ts'
import { requireActiveFlow } from './problems.ts'
import * as store from './store.ts'
import { Flow, FlowPath, toWire } from './wire.ts'

export const getFlow = defineOperation(
  {
    id: 'getFlow',
    method: 'GET',
    path: '/flows/{org}/{flow_name}',
    tag: 'Flows',
    summary: 'Get a flow',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: FlowPath,
    query: ArchivedQuery,
    returns: Flow,
    fails: [400, 403, 404],
  },
  async ({ params, query, org }, { db }) => {
    const found = await store.findFlowOnce(db, org.org_id, params.flow_name)
    return toWire(requireActiveFlow(found, org.name, params.flow_name, query.archived), org.name)
  },
)
