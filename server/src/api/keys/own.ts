// Changing one's own keys: the transaction that sees them, and where it is told what happened.
import type { Database, Db } from '../../db/database.ts'
import { isKeptOut } from '../../domain/single-sign-on.ts'
import { type Happening, record } from '../../events/record.ts'
import { ssoRequired } from '../../lib/errors.ts'
import type { Caller, Deps } from '../operation.ts'
import { orgsRequiringSso } from '../orgs/store.ts'
import { findHomeOrg } from '../shared/home-org-store.ts'
import { type KeyRing, refuseRetry } from '../shared/key-ring.ts'
import { ringOfUser } from './personal-store.ts'

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
  if (answersSecret) await refuseAroundSso(db, caller)
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

/** A key works where its owner is a member: it must not be the way around single sign-on. */
async function refuseAroundSso(db: Database, { id, name, session_method }: Caller): Promise<void> {
  if (session_method === null || session_method === 'sso') return
  const orgs = await orgsRequiringSso(db, id)
  const closed = orgs.find(({ role, rule }) => isKeptOut(rule, { method: session_method, user: name, role }))
  if (closed) throw ssoRequired(closed.name)
}
