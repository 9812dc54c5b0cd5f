// GET /notification-deliveries/{org}/{delivery_id}: one delivery with every attempt at it.
import { defineOperation } from '../operation.ts'
import { requireDelivery, toDeliveryId } from './problems.ts'
import { listAttempts } from './store.ts'
import { DeliveryPath, DeliveryWithAttempts, toWire, toWireAttempt } from './wire.ts'

export const getNotificationDelivery = defineOperation(
  {
    id: 'getNotificationDelivery',
    method: 'GET',
    path: '/notification-deliveries/{org}/{delivery_id}',
    tag: 'Notifications',
    summary: 'Get a delivery with its attempts',
    access: 'reader',
    audit: 'none: reads',
    params: DeliveryPath,
    returns: DeliveryWithAttempts,
    fails: [403, 404],
    example: { params: { delivery_id: '019cb35a-7c00-7000-8000-00000001' } },
  },
  ({ params, org }, { db, sealer }) => {
    const { org_id } = org
    const job_id = toDeliveryId(params)
    const viewer = { is_admin: org.role === 'admin', sealer }
    return db.withTransaction({ org_id }, async tx => {
      const row = await requireDelivery(tx, org_id, job_id)
      const attempts = await listAttempts(tx, org_id, job_id)
      return {
        ...toWire(row, viewer),
        attempt_log: attempts.map(attempt => toWireAttempt(attempt, viewer)),
      }
    })
  },
)
