// Sign-in by invitation: the token was mailed to an address, so its holder owns the address. An unknown person
// becomes a user; everyone who accepts becomes a member and is signed in, in one step.
import { accept } from '../api/invitations/accept.ts'
import { findOrgOfToken, lockInvitationByToken } from '../api/invitations/store.ts'
import type { Caller, Deps } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { hashSecret, parseTokenKind } from '../lib/secrets.ts'
import { FRONT_PAGE } from './next-path.ts'
import { findOrCreateByAddress, type RequestContext } from './people.ts'
import { type SessionDeps, type StartedSession, startSession, type Visitor } from './session.ts'

export function isInvitationToken(token: unknown): token is string {
  return typeof token === 'string' && parseTokenKind(token) === 'inv'
}

/** Undefined if the invitation is unknown, used, expired or withdrawn, or if the person may not sign in. */
export async function signInByInvitation(
  deps: Pick<Deps, 'db'> & SessionDeps,
  token: string,
  visitor: Visitor,
  context: RequestContext,
): Promise<StartedSession | undefined> {
  const { db, ids } = deps
  const { now, request_id } = context
  const token_hash = hashSecret(token)
  const invitation = await findOpenInvitation(db, token_hash, now)
  if (!invitation) return undefined
  const { org_id } = invitation
  const { user_id, user_name, is_deactivated } = await findOrCreateByAddress(deps, invitation.email, context)
  if (is_deactivated) return undefined
  const caller = { id: user_id, name: user_name, kind: 'user' as const }
  const idempotency = { caller_id: user_id, idempotency_key: null, request_sha256: null }
  const accepting = {
    org: { org_id },
    caller,
    now,
    request_id,
    token_hash,
    idempotency,
  }
  try {
    return await db.withTransaction({ signin: true, org_id }, async tx => {
      await accept(tx, accepting, ids)
      return startSession(tx, deps, visitor, { user_id, method: 'link', next_path: FRONT_PAGE, now })
    })
  } catch (error) {
    // Another request used the token first, or the address changed owner: the page says that it no longer works.
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Nobody is signed in, or somebody with another address than the invited one: the invitation still works. */
export type Accepted = 'accepted' | 'sign in first' | 'refused'

/** For installations that require single sign-on: the person must be identified before they can accept. */
export async function acceptInvitation(
  { db, ids, forgetCaller }: Pick<Deps, 'db' | 'ids' | 'forgetCaller'>,
  token: string,
  caller: Pick<Caller, 'id' | 'name' | 'kind'> | undefined,
  context: RequestContext,
): Promise<Accepted> {
  const token_hash = hashSecret(token)
  const invitation = await findOpenInvitation(db, token_hash, context.now)
  if (!invitation) return 'refused'
  if (!caller) return 'sign in first'
  const { org_id } = invitation
  const idempotency = { caller_id: caller.id, idempotency_key: null, request_sha256: null }
  const accepting = { ...context, org: { org_id }, caller, token_hash, idempotency }
  try {
    await db.withTransaction({ org_id, user_id: caller.id }, tx => accept(tx, accepting, ids))
  } catch (error) {
    // The page says what to do: used or withdrawn meanwhile, or for another address.
    if (error instanceof AppError) return error.status === 403 ? 'sign in first' : 'refused'
    throw error
  }
  forgetCaller(caller.id)
  return 'accepted'
}

async function findOpenInvitation(
  db: Database,
  token_hash: string,
  now: Date,
): Promise<{ org_id: string; email: string } | undefined> {
  const org_id = await findOrgOfToken(db, token_hash)
  if (org_id === undefined) return undefined
  const found = await db.withTransaction({ org_id }, tx =>
    lockInvitationByToken(tx, org_id, { token_hash, now }),
  )
  return found?.is_open ? { org_id, email: found.email } : undefined
}
