// POST /controls/{org}/{identifier}/archive and …/unarchive: archives a control, or unarchives it.
import { assert } from '../../lib/assert.ts'
import { defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { setControlArchived } from './save.ts'
import * as store from './store.ts'
import { Control, ControlPath, toWire } from './wire.ts'

interface ArchiveAction {
  id: string
  verb: 'archive' | 'unarchive'
  summary: string
  description: string
  archived: boolean
  audit: 'control_archived' | 'control_unarchived'
}

function defineArchiveOperation({ verb, archived, ...contract }: ArchiveAction) {
  return defineOperation(
    {
      ...contract,
      method: 'POST',
      path: `/controls/{org}/{identifier}/${verb}`,
      tag: 'Controls',
      access: 'admin',
      feature: 'controls',
      beta: true,
      params: ControlPath,
      returns: Control,
      fails: [403, 404, 422],
      example: { params: { identifier: `control-to-${verb}` } },
    },
    async (request, { db, ids, base_url }) => {
      const { params, org, now } = request
      const { identifier } = params
      const { org_id } = org
      const idempotency = buildIdempotencyClaim(request)
      const row = await db.withTransaction({ org_id }, async tx => {
        const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
        refuseOtherContent(answered_sha256, idempotency.request_sha256)
        if (answered_sha256 === null) await setControlArchived(tx, request, ids, { identifier, archived })
        return store.readControl(tx, org_id, identifier)
      })
      assert(row, 'a control is never removed')
      return toWire(row, { base_url, org: org.name })
    },
  )
}

export const archiveControl = defineArchiveOperation({
  id: 'archiveControl',
  verb: 'archive',
  summary: 'Archive a control',
  description:
    'Removes the control from the list. Its versions and decisions stay, and policies that name it still require ' +
    'decisions. Archiving it again changes nothing.',
  archived: true,
  audit: 'control_archived',
})

export const unarchiveControl = defineArchiveOperation({
  id: 'unarchiveControl',
  verb: 'unarchive',
  summary: 'Unarchive a control',
  description: 'Returns the control to the list. Changes nothing if the control is not archived.',
  archived: false,
  audit: 'control_unarchived',
})
