// GET /flows/{org}/{flow_name}: one flow, also under a former name that nobody took.
import { operation } from '../operation.ts'
import { noSuchFlow } from './problems.ts'
import * as store from './store.ts'
import { Flow, FlowPath, toWire } from './wire.ts'

export const getFlow = operation(
  {
    id: 'getFlow',
    method: 'GET',
    path: '/flows/{org}/{flow_name}',
    tag: 'Flows',
    summary: 'Get a flow',
    access: 'reader',
    visitors: true,
    audit: 'none: reads',
    params: FlowPath,
    returns: Flow,
    fails: [403, 404],
  },
  async ({ params, org }, { db }) => {
    const flow = await store.findFlowOnce(db, org.org_id, params.flow_name)
    if (!flow) throw noSuchFlow(params.flow_name, org.name)
    return toWire(flow, org.name)
  },
)
