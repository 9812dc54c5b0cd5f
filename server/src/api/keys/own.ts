// Changes the caller's own keys, in a transaction that can see them, and records the event.
import type { Database, Db } from '../../db/database.ts'
import { isSessionBlocked } from '../../domain/single-sign-on.ts'
import { type EventInput, recordEvent } from '../../events/record.ts'
import { ssoRequired } from '../../lib/errors.ts'
import type { Caller, Deps } from '../operation.ts'
import { listOrgsRequiringSso } from '../orgs/store.ts'
import { findPersonalOrg } from '../shared/personal-org-store.ts'
import { type KeyRing, refuseRetry } from './key-ring.ts'
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

/** Records the event in the caller's personal organization, if there is one, as admin/keys.ts does. */
export async function changeOwnKeys<T>(
  request: OwnRequest,
  { db, ids, forgetCaller }: Deps,
  work: (ring: KeyRing) => Promise<{ answer: T; event: EventInput }>,
  { answersSecret }: { answersSecret: boolean },
): Promise<T> {
  const { caller, now } = request
  if (answersSecret) await refuseSsoBypass(db, caller)
  const personal_org_id = await findPersonalOrg(db, caller.id)
  // Idempotency keys are stored per organization. Without a personal one, the id of the user takes its place.
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

/** A key works in every organization of its owner, so it must not bypass single sign-on. */
async function refuseSsoBypass(db: Database, { id, name, session_method }: Caller): Promise<void> {
  if (session_method === null || session_method === 'sso') return
  const orgs = await listOrgsRequiringSso(db, id)
  const blocking = orgs.find(({ role, rule }) =>
    isSessionBlocked(rule, { method: session_method, user: name, role }),
  )
  if (blocking) throw ssoRequired(blocking.name)
}
