// Records failed sign-ins in the personal organization of the person concerned, so that they can see attempts.
// Limited to a readable number: an attacker must not fill the log.
import type { Deps } from '../api/operation.ts'
import type { SignInMethod } from '../domain/single-sign-on.ts'
import { recordEvent } from '../events/record.ts'
import type { Visitor } from './session.ts'
import { countFailures, findHome, lockForFailure } from './store.ts'

const MAX_FAILURES = 100
const FAILURES_WITHIN_MS = 60 * 60 * 1000

export interface Failure {
  user_id: string
  method: SignInMethod
  reason: string
  now: Date
}

export async function recordFailure(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  { address, request_id }: Visitor,
  { user_id, method, reason, now }: Failure,
): Promise<void> {
  const home = await findHome(db, user_id)
  if (!home) return
  const { org_id, name } = home
  await db.withTransaction({ signin: true, org_id }, async tx => {
    await lockForFailure(tx, user_id)
    const since = new Date(now.getTime() - FAILURES_WITHIN_MS)
    if ((await countFailures(tx, org_id, since)) >= MAX_FAILURES) return
    const context = { now, request_id, org: { org_id }, caller: { name } }
    const data = { user: name, method, reason, address }
    await recordEvent(tx, context, ids, { kind: 'sign_in_failed', data, about: { person: user_id } })
  })
}
