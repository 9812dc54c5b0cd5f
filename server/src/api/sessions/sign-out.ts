// Ends sessions of the caller in one transaction, with an event in their personal org.
import type { Db } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import type { Caller, Deps } from '../operation.ts'
import { findPersonalOrg } from '../shared/personal-org-store.ts'

interface SignOutRequest {
  caller: Caller
  now: Date
  request_id: string
  /** The IP address of the request. */
  address: string
}

/** Returns how many were ended. Without a personal org, no event is recorded. */
export async function signOut(
  request: SignOutRequest,
  { db, ids, forgetCaller }: Pick<Deps, 'db' | 'ids' | 'forgetCaller'>,
  end: (tx: Db) => Promise<number>,
): Promise<number> {
  const { caller, address } = request
  const personal_org_id = await findPersonalOrg(db, caller.id)
  const org_id = personal_org_id ?? caller.id
  const sessions = await db.withTransaction({ user_id: caller.id, org_id }, async tx => {
    const ended = await end(tx)
    if (ended > 0 && personal_org_id !== undefined) {
      const data = { user: caller.name, sessions: ended, credential: caller.credential, address }
      await recordEvent(tx, { ...request, org: { org_id } }, ids, {
        kind: 'signed_out',
        data,
        about: { person: caller.id },
      })
    }
    return ended
  })
  forgetCaller(caller.id)
  return sessions
}
