// PATCH /tags/{org}/{resource_type}/{resource_id}: set and remove tags. Removing one that is not there is fine.
import { record } from '../../events/record.ts'
import { invalid } from '../../lib/errors.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { lockFlow, setFlowTags } from '../flows/store.ts'
import { operation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { TagPatch, TagPath } from './wire.ts'

const MAX_TAGS = 100

export const patchTags = operation(
  {
    id: 'patchTags',
    method: 'PATCH',
    path: '/tags/{org}/{resource_type}/{resource_id}',
    tag: 'Tags',
    summary: 'Set and remove tags of a resource',
    access: 'member',
    audit: 'flow_tagged',
    params: TagPath,
    body: TagPatch,
    returns: Ok,
    fails: [400, 403, 404],
    example: { params: { resource_type: 'flow' }, body: { set_tags: { risk: 'high' }, remove_tags: [] } },
  },
  (request, { db, ids }) => {
    const { params, body, org, now } = request
    return db.inTransaction({ org_id: org.org_id }, async tx => {
      const flow = await lockFlow(tx, org.org_id, params.resource_id)
      if (!flow) throw noSuchFlow(params.resource_id, org.name)
      const set = body.set_tags ?? {}
      const removed = body.remove_tags ?? []
      const kept = Object.entries(flow.tags).filter(([key]) => !removed.includes(key))
      const tags = { ...Object.fromEntries(kept), ...set }
      if (Object.keys(tags).length > MAX_TAGS) {
        throw invalid({ set_tags: `A resource can have at most ${MAX_TAGS} tags` })
      }
      const { flow_id } = flow
      await setFlowTags(tx, org.org_id, flow_id, tags, now)
      await record(tx, request, ids, {
        kind: 'flow_tagged',
        flow_id,
        data: { set_tags: set, remove_tags: removed },
      })
      return OK
    })
  },
)
