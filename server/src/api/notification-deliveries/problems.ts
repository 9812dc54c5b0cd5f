// What can be wrong with a delivery.
import type { Db } from '../../db/database.ts'
import { type AppError, badRequest, notFound } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { type DeliveryRow, listDeliveriesByIds } from './store.ts'

function noSuchDelivery(): AppError {
  return notFound('Delivery not found')
}

export function targetIsRemoved(): AppError {
  return badRequest('The target of this delivery was removed, so it cannot be sent again')
}

export function tooManyToReplay(found: number, most: number): AppError {
  const [there, possible] = [found, most].map(number => number.toLocaleString('en'))
  return badRequest(`There are ${there} such deliveries; at most ${possible} are sent again at once`)
}

/** The stored form of the id, or the refusal. */
export function toDeliveryId({ delivery_id }: { delivery_id: string }): string {
  const job_id = parseWireId(delivery_id)
  if (job_id === undefined) throw noSuchDelivery()
  return job_id
}

/** The delivery, or the refusal. */
export async function requireDelivery(tx: Db, org_id: string, job_id: string): Promise<DeliveryRow> {
  const [row] = await listDeliveriesByIds(tx, org_id, [job_id])
  if (!row) throw noSuchDelivery()
  return row
}
