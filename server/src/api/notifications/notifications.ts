// Shared by several notification operations: finding one, and describing one in events.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import type { Sealer } from '../../lib/sealer.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { summarizeTargets } from '../shared/targets.ts'
import type { TargetOwner } from '../shared/targets-store.ts'
import type { NotificationKind } from './kinds.ts'
import * as store from './store.ts'

/** The part of a request that a write needs. */
export interface RequestContext {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
}

/** Never contains more of an address than its origin. */
export function summarizeNotification(
  { field }: NotificationKind,
  { number, name, about, triggers, targets }: store.NotificationRow,
  sealer: Sealer,
): Record<string, unknown> {
  return { number, name, [field]: about, triggers, targets: summarizeTargets(targets, sealer) }
}

export function toTargetOwner({ notification_id }: { notification_id: string }): TargetOwner {
  return { notification_id, notification_type: null }
}

export function noSuchNotification(number: number, org: string): AppError {
  return notFound(`Notification number ${number} does not exist for organization '${org}'`)
}

/** Locks the notification until the end of the transaction. Throws a 404 if it does not exist. */
export async function requireNotification(
  tx: Db,
  { type }: NotificationKind,
  org: CallerOrg,
  number: number,
): Promise<store.NotificationRow> {
  const row = await store.lockNotification(tx, org.org_id, type, number)
  if (!row) throw noSuchNotification(number, org.name)
  return row
}
