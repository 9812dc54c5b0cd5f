// POST /notification-deliveries/{org}/{delivery_id}/replay: sends a delivery again, now.
import { recordEvent } from '../../events/record.ts'
import { toWireId } from '../../lib/ids.ts'
import { defineOperation } from '../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { requireDelivery, targetIsRemoved, toDeliveryId } from './problems.ts'
import { lockDelivery, replayDelivery } from './store.ts'
import { Delivery, DeliveryPath, toWire } from './wire.ts'

export const replayNotificationDelivery = defineOperation(
  {
    id: 'replayNotificationDelivery',
    method: 'POST',
    path: '/notification-deliveries/{org}/{delivery_id}/replay',
    tag: 'Notifications',
    summary: 'Send a delivery again',
    description:
      'Sends it now, with the same id and as many attempts as a new one. Works for targets that are switched off too: a ' +
      'success switches them on again. A delivery that is being sent does not change.',
    access: 'member',
    audit: 'notification_deliveries_replayed',
    params: DeliveryPath,
    returns: Delivery,
    fails: [400, 403, 404, 422],
    example: { params: { delivery_id: '019cb35a-7c00-7000-8000-00000001' } },
  },
  async (request, { db, ids, sealer }) => {
    const { params, org, now } = request
    const { org_id } = org
    const job_id = toDeliveryId(params)
    const idempotency = buildIdempotencyClaim(request)
    return db.withTransaction({ org_id }, async tx => {
      // Locked first, so a concurrent retry sees what the first request did.
      const locked = await lockDelivery(tx, org_id, { job_id, now })
      const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (locked && answered_sha256 === null && !locked.is_being_sent) {
        if (locked.is_target_removed) throw targetIsRemoved()
        await replayDelivery(tx, org_id, { job_id, now })
        const data = { deliveries: 1, delivery_id: toWireId(job_id) }
        await recordEvent(tx, request, ids, { kind: 'notification_deliveries_replayed', data })
      }
      const row = await requireDelivery(tx, org_id, job_id)
      return toWire(row, { is_admin: org.role === 'admin', sealer })
    })
  },
)
