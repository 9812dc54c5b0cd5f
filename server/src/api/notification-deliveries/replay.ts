// POST /notification-deliveries/{org}/{delivery_id}/replay: send a message once more, now.
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
      'Now, under the same id and with the attempts of a new one, also where the target is switched off: a success ' +
      'switches it on again. One that is being sent at this moment is left as it is.',
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
      // Held first: a retry that comes together with the first sees what that did.
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
