// GET /trails/{org}/{flow_name}/{trail_name}: one trail with its compliance, its template and its life story.
import { eventsOfTrail } from '../../events/store.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { findFlow } from '../flows/store.ts'
import { operation } from '../operation.ts'
import { noSuchTrail } from './problems.ts'
import * as store from './store.ts'
import { Trail, TrailPath, toWire } from './wire.ts'

const MOST_EVENTS = 1000

export const getTrail = operation(
  {
    id: 'getTrail',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}',
    tag: 'Trails',
    summary: 'Get a trail',
    access: 'reader',
    audit: 'none: reads',
    params: TrailPath,
    returns: Trail,
    fails: [403, 404],
  },
  ({ params, org }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, trail_name } = params
      const flow = await findFlow(tx, org.org_id, flow_name)
      if (!flow) throw noSuchFlow(flow_name, org.name)
      const [trail, events] = await Promise.all([
        store.findTrail(tx, org.org_id, flow.flow_id, trail_name),
        eventsOfTrail(tx, org.org_id, flow.flow_id, trail_name, MOST_EVENTS),
      ])
      if (!trail) throw noSuchTrail(trail_name, flow_name, org.name)
      const evidence = await store.evidenceOfTrail(tx, org.org_id, trail.trail_id)
      return toWire(trail, evidence, events, org.org_id, { base_url, org: org.name })
    }),
)
