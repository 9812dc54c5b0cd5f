// GET /trails/{org}/{flow_name}/{trail_name}: one trail with its compliance, template and events.
import { listTrailEvents } from '../../events/store.ts'
import { requireFlow } from '../flows/problems.ts'
import { defineOperation } from '../operation.ts'
import { readPageRequest } from '../shared/page.ts'
import { pageTrail } from './page-trail.ts'
import { noSuchTrail } from './problems.ts'
import * as store from './store.ts'
import { Trail, TrailPath, TrailQuery, toWire } from './wire.ts'

const MAX_EVENTS = 1000
const DEFAULT_PER_PAGE = 100

export const getTrail = defineOperation(
  {
    id: 'getTrail',
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}',
    tag: 'Trails',
    summary: 'Get a trail',
    description: 'Whole by default; with `page` or `per_page`, one page of each of its lists',
    access: 'reader',
    visitors: 'public_read',
    audit: 'none: reads',
    params: TrailPath,
    query: TrailQuery,
    returns: Trail,
    fails: [400, 403, 404],
  },
  ({ params, query, org }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { flow_name, trail_name } = params
      const named = { flow_name, trail_name }
      const [, trail, events, evidence] = await Promise.all([
        requireFlow(tx, org, flow_name, query.archived),
        store.findTrail(tx, org.org_id, named),
        listTrailEvents(tx, org.org_id, { ...named, with_environments: !org.is_visitor }, MAX_EVENTS),
        store.readTrailEvidence(tx, org.org_id, named),
      ])
      if (!trail) throw noSuchTrail(trail_name, flow_name, org.name)
      const whole = toWire(trail, evidence, events, org.org_id, { base_url, org: org.name })
      const page = readPageRequest(query, DEFAULT_PER_PAGE)
      return page ? pageTrail(whole, page) : whole
    }),
)
