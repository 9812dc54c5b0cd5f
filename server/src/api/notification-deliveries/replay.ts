// POST /notification-deliveries/{org}/{delivery_id}/replay: send a message once more, now.
import { record } from '../../events/record.ts'
import { toWireId } from '../../lib/ids.ts'
import { operation } from '../operation.ts'
import { idempotencyOf, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { idOf, readDelivery, targetIsRemoved } from './problems.ts'
import { holdDelivery, replayDelivery } from './store.ts'
import { Delivery, DeliveryPath, toWire } from './wire.ts'

export const replayNotificationDelivery = operation(
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
    const job_id = idOf(params)
    const named = idempotencyOf(request)
    return db.inTransaction({ org_id }, async tx => {
      // Held first: a retry that comes together with the first sees what that did.
      const held = await holdDelivery(tx, org_id, { job_id, now })
      const answered_sha256 = await claimKey(tx, org_id, named, now)
      refuseOtherContent(answered_sha256, named.request_sha256)
      if (held && answered_sha256 === null && !held.is_being_sent) {
        if (held.is_target_removed) throw targetIsRemoved()
        await replayDelivery(tx, org_id, { job_id, now })
        const data = { deliveries: 1, delivery_id: toWireId(job_id) }
        await record(tx, request, ids, { kind: 'notification_deliveries_replayed', data })
      }
      const row = await readDelivery(tx, org_id, job_id)
      return toWire(row, { is_admin: org.role === 'admin', sealer })
    })
  },
)
