// Changing the keys of a service account: the transaction that holds the account, and the record of what happened.
import type { Db } from '../../db/database.ts'
import { type Happening, record } from '../../events/record.ts'
import type { Deps } from '../operation.ts'
import { findOrgDetails } from '../orgs/store.ts'
import { type KeyRing, type Minting, refuseRetry } from '../shared/key-ring.ts'
import { ringOfAccount } from './keys-store.ts'
import { type AccountRequest, holdAccount } from './permission.ts'

export interface KeyRequest extends AccountRequest {
  readonly body: unknown
  readonly operation_id: string
  readonly idempotency_key: string | undefined
  readonly now: Date
  readonly request_id: string
}

export type KeyWork<T> = (
  ring: KeyRing,
  minting: Minting,
  tx: Db,
) => Promise<{ answer: T; happening: Happening }>

export async function changeAccountKeys<T>(
  request: KeyRequest,
  { db, ids, forgetCaller }: Deps,
  work: KeyWork<T>,
  { answersSecret }: { answersSecret: boolean },
): Promise<T> {
  const { org, caller, now } = request
  const { org_id } = org
  const { answer, service_account_id } = await db.inTransaction({ org_id }, async tx => {
    if (answersSecret) await refuseRetry(tx, org_id, request)
    const account = await holdAccount(tx, request)
    const max_lifetime_days = (await findOrgDetails(tx, org_id))?.settings.max_key_lifetime_days ?? null
    const ring = ringOfAccount(tx, org_id, account, { now, changed_by: caller.name })
    const done = await work(ring, { now, asking: caller, max_lifetime_days }, tx)
    await record(tx, request, ids, done.happening)
    return { answer: done.answer, service_account_id: account.service_account_id }
  })
  forgetCaller(service_account_id)
  return answer
}
