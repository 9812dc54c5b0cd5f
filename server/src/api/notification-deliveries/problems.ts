// The errors of delivery operations.
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

export function tooManyToReplay(found: number, max: number): AppError {
  const [actual, allowed] = [found, max].map(number => number.toLocaleString('en'))
  return badRequest(
    `${actual} deliveries match; at most ${allowed} can be sent again at once. Narrow the period.`,
  )
}

/** The stored form of the id. Throws a 404 if it is not an id. */
export function toDeliveryId({ delivery_id }: { delivery_id: string }): string {
  const job_id = parseWireId(delivery_id)
  if (job_id === undefined) throw noSuchDelivery()
  return job_id
}

/** Throws a 404 if there is no such delivery. */
export async function requireDelivery(tx: Db, org_id: string, job_id: string): Promise<DeliveryRow> {
  const [row] = await listDeliveriesByIds(tx, org_id, [job_id])
  if (!row) throw noSuchDelivery()
  return row
}
