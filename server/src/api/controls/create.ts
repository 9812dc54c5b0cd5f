// POST /controls/{org}: creates a control with its first version.
import { assert } from '../../lib/assert.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { controlExists } from './problems.ts'
import { saveNewControl } from './save.ts'
import * as store from './store.ts'
import { Control, ControlPostInput, ControlsPath, toWire } from './wire.ts'

export const createControl = defineOperation(
  {
    id: 'createControl',
    method: 'POST',
    path: '/controls/{org}',
    tag: 'Controls',
    summary: 'Create a control',
    description:
      'A control is a requirement. Decisions are made on it, and policies can require such decisions. The ' +
      'identifier never changes and cannot be reused, not even after the control is archived.',
    access: 'admin',
    feature: 'controls',
    beta: true,
    audit: 'control_created',
    params: ControlsPath,
    body: ControlPostInput,
    returns: Control,
    creates: true,
    fails: [400, 403, 409, 422],
    example: {
      body: {
        identifier: 'SDLC-CTRL-0001',
        name: 'Two people look at every change',
        description: 'Nobody merges their own change alone',
        links: { 'ISO 27001 A.8.32': 'https://wiki.example.com/iso-27001/a-8-32' },
      },
    },
  },
  async (request, { db, ids, base_url }) => {
    const { body, org, now } = request
    const { identifier, name, description = null, links = {} } = body
    const { org_id } = org
    const idempotency = buildIdempotencyClaim(request)
    const row = await db.withTransaction({ org_id }, async tx => {
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 === null) {
        const isNew = await saveNewControl(tx, request, ids, { identifier, name, description, links })
        if (!isNew) throw controlExists(identifier, org.name)
      }
      return store.readControl(tx, org_id, identifier)
    })
    assert(row, 'a control is never removed')
    return new Answer(201, toWire(row, { base_url, org: org.name }))
  },
)
