// GET /notification-deliveries/{org}/{delivery_id}: one delivery with every attempt at it.
import { operation } from '../operation.ts'
import { idOf, readDelivery } from './problems.ts'
import { attemptsOf } from './store.ts'
import { attemptToWire, DeliveryPath, DeliveryWithAttempts, toWire } from './wire.ts'

export const getNotificationDelivery = operation(
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
    const job_id = idOf(params)
    const viewer = { is_admin: org.role === 'admin', sealer }
    return db.inTransaction({ org_id }, async tx => {
      const row = await readDelivery(tx, org_id, job_id)
      const attempts = await attemptsOf(tx, org_id, job_id)
      return {
        ...toWire(row, viewer),
        attempt_log: attempts.map(attempt => attemptToWire(attempt, viewer)),
      }
    })
  },
)
