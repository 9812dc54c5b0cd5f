// GET /controls/{org}/{identifier}: one control, archived or not.
import { defineOperation } from '../operation.ts'
import { noSuchControl } from './problems.ts'
import * as store from './store.ts'
import { Control, ControlPath, toWire } from './wire.ts'

export const getControl = defineOperation(
  {
    id: 'getControl',
    method: 'GET',
    path: '/controls/{org}/{identifier}',
    tag: 'Controls',
    summary: 'Get a control',
    description: 'Also returns archived controls.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlPath,
    returns: Control,
    fails: [403, 404],
    example: { params: { identifier: 'control-to-read' } },
  },
  async ({ params, org }, { db, base_url }) => {
    const control = await store.findControl(db, org.org_id, params.identifier)
    if (!control) throw noSuchControl(params.identifier, org.name)
    return toWire(control, { base_url, org: org.name })
  },
)
