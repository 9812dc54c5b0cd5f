// Changing one's own keys: the transaction that sees them, and where it is told what happened.
import type { Database, Db } from '../../db/database.ts'
import { isSessionBlocked } from '../../domain/single-sign-on.ts'
import { type EventInput, recordEvent } from '../../events/record.ts'
import { ssoRequired } from '../../lib/errors.ts'
import type { Caller, Deps } from '../operation.ts'
import { listOrgsRequiringSso } from '../orgs/store.ts'
import { type KeyRing, refuseRetry } from '../shared/key-ring.ts'
import { findPersonalOrg } from '../shared/personal-org-store.ts'
import { makeUserKeyRing } from './personal-store.ts'

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
  work: (ring: KeyRing) => Promise<{ answer: T; event: EventInput }>,
  { answersSecret }: { answersSecret: boolean },
): Promise<T> {
  const { caller, now } = request
  if (answersSecret) await refuseSsoBypass(db, caller)
  const personal_org_id = await findPersonalOrg(db, caller.id)
  // The names of requests are kept by org. Without a personal one, the user is one of their own in that.
  const org_id = personal_org_id ?? caller.id
  const answer = await db.withTransaction({ user_id: caller.id, org_id }, async (tx: Db) => {
    if (answersSecret) await refuseRetry(tx, org_id, request)
    const owner = { user_id: caller.id, name: caller.name }
    const done = await work(makeUserKeyRing(tx, owner, { now, changed_by: caller.name }))
    if (personal_org_id !== undefined) await recordEvent(tx, { ...request, org: { org_id } }, ids, done.event)
    return done.answer
  })
  forgetCaller(caller.id)
  return answer
}

/** A key works where its owner is a member: it must not be the way around single sign-on. */
async function refuseSsoBypass(db: Database, { id, name, session_method }: Caller): Promise<void> {
  if (session_method === null || session_method === 'sso') return
  const orgs = await listOrgsRequiringSso(db, id)
  const closed = orgs.find(({ role, rule }) =>
    isSessionBlocked(rule, { method: session_method, user: name, role }),
  )
  if (closed) throw ssoRequired(closed.name)
}
