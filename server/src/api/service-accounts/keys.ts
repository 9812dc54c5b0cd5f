// Changes the keys of a service account: locks the account in a transaction and records the event.
import type { Db } from '../../db/database.ts'
import { type EventInput, recordEvent } from '../../events/record.ts'
import { type KeyBounds, type KeyRing, refuseRetry } from '../keys/key-ring.ts'
import type { Deps } from '../operation.ts'
import { findOrgDetails } from '../shared/org-details-store.ts'
import { makeAccountKeyRing } from './keys-store.ts'
import { type AccountRequest, requireLockedAccount } from './permission.ts'

export interface KeyRequest extends AccountRequest {
  readonly body: unknown
  readonly operation_id: string
  readonly idempotency_key: string | undefined
  readonly now: Date
  readonly request_id: string
}

export type KeyChange<T> = (
  ring: KeyRing,
  bounds: KeyBounds,
  tx: Db,
) => Promise<{ answer: T; event: EventInput }>

export async function changeAccountKeys<T>(
  request: KeyRequest,
  { db, ids, forgetCaller }: Deps,
  change: KeyChange<T>,
  { returnsSecret }: { returnsSecret: boolean },
): Promise<T> {
  const { org, caller, now } = request
  const { org_id } = org
  const { answer, service_account_id } = await db.withTransaction({ org_id }, async tx => {
    if (returnsSecret) await refuseRetry(tx, org_id, request)
    const account = await requireLockedAccount(tx, request)
    const max_lifetime_days = (await findOrgDetails(tx, org_id))?.settings.max_key_lifetime_days ?? null
    const ring = makeAccountKeyRing(tx, org_id, account, { now, changed_by: caller.name })
    const done = await change(ring, { now, caller, max_lifetime_days }, tx)
    await recordEvent(tx, request, ids, done.event)
    return { answer: done.answer, service_account_id: account.service_account_id }
  })
  forgetCaller(service_account_id)
  return answer
}
