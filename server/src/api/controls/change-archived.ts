// Archives or unarchives a control once per idempotency key, and returns the control as it is afterwards.
import type { Static } from 'typebox'
import { assert } from '../../lib/assert.ts'
import type { Deps } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { type ControlContext, setControlArchived } from './save.ts'
import * as store from './store.ts'
import { type Control, type ControlPath, toWire } from './wire.ts'

type ArchiveRequest = ControlContext &
  Parameters<typeof buildIdempotencyClaim>[0] & { readonly params: Static<typeof ControlPath> }

export async function changeArchived(
  request: ArchiveRequest,
  { db, ids, base_url }: Deps,
  archived: boolean,
): Promise<Static<typeof Control>> {
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
}
