// Changing one's own keys: the transaction that sees them, and where it is told what happened.
import type { Db } from '../../db/database.ts'
import { type Happening, record } from '../../events/record.ts'
import type { Caller, Deps } from '../operation.ts'
import { type KeyRing, refuseRetry } from '../shared/key-ring.ts'
import { findHomeOrg, ringOfUser } from './personal-store.ts'

export interface OwnRequest {
  params: unknown
  body: unknown
  caller: Caller
  operation_id: string
  idempotency_key: string | undefined
  now: Date
  request_id: string
}

/** Recorded in the caller's personal org. Whoever has none belongs to no history, as in admin/keys.ts. */
export async function changeOwnKeys<T>(
  request: OwnRequest,
  { db, ids, forgetCaller }: Deps,
  work: (ring: KeyRing) => Promise<{ answer: T; happening: Happening }>,
  { answersSecret }: { answersSecret: boolean },
): Promise<T> {
  const { caller, now } = request
  const home_org_id = await findHomeOrg(db, caller.id)
  // The names of requests are kept by org. Without a personal one, the user is one of their own in that.
  const org_id = home_org_id ?? caller.id
  const answer = await db.inTransaction({ user_id: caller.id, org_id }, async (tx: Db) => {
    if (answersSecret) await refuseRetry(tx, org_id, request)
    const owner = { user_id: caller.id, name: caller.name }
    const done = await work(ringOfUser(tx, owner, { now, changed_by: caller.name }))
    if (home_org_id !== undefined) await record(tx, { ...request, org: { org_id } }, ids, done.happening)
    return done.answer
  })
  forgetCaller(caller.id)
  return answer
}
