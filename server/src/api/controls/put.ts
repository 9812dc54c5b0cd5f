// PUT /controls/{org}/{identifier}: edits a control, which makes a new version. Omitted fields stay as they are.
import { assert } from '../../lib/assert.ts'
import { defineOperation } from '../operation.ts'
import { saveControlEdit } from './save.ts'
import * as store from './store.ts'
import { Control, ControlPath, ControlPutInput, toWire } from './wire.ts'

export const putControl = defineOperation(
  {
    id: 'putControl',
    method: 'PUT',
    path: '/controls/{org}/{identifier}',
    tag: 'Controls',
    summary: 'Edit a control',
    description:
      'Omitted fields stay as they are; `links` are replaced as a whole; null or an empty string clears the ' +
      'description. A change makes a new version; a request without changes makes none. An archived control must ' +
      'be unarchived first (400).',
    access: 'admin',
    feature: 'controls',
    beta: true,
    audit: 'control_updated',
    params: ControlPath,
    body: ControlPutInput,
    returns: Control,
    fails: [400, 403, 404],
    example: {
      params: { identifier: 'control-to-edit' },
      body: {
        name: 'Two people look at every change',
        description: 'Nobody merges their own change alone',
        links: { policy: 'https://wiki.example.com/change-policy' },
      },
    },
  },
  async (request, { db, ids, base_url }) => {
    const { params, body, org } = request
    const { identifier } = params
    const row = await db.withTransaction({ org_id: org.org_id }, async tx => {
      await saveControlEdit(tx, request, ids, { identifier, edit: body })
      return store.readControl(tx, org.org_id, identifier)
    })
    assert(row, 'a control is never removed')
    return toWire(row, { base_url, org: org.name })
  },
)
