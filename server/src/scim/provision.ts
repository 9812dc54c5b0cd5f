// Runs a provisioning request: one transaction that sees the organization and the owners of mail addresses, one
// request at a time per organization, and callers whose rights changed are removed from the auth cache.
import type { Deps } from '../api/operation.ts'
import { isInForce } from '../api/scim-tokens/owner.ts'
import { lockActiveToken } from '../api/scim-tokens/store.ts'
import { lockMembers } from '../api/shared/membership-store.ts'
import type { Db } from '../db/database.ts'
import type { RequestContext } from '../events/record.ts'
import { type AppError, unauthenticated } from '../lib/errors.ts'
import type { Ids } from '../lib/ids.ts'

/** Sorts before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export interface ScimDeps
  extends Pick<Deps, 'db' | 'ids' | 'forgetCaller' | 'base_url' | 'secrets' | 'mailer'> {
  /** Whether a directory has authority over every address, or only over domains that its organization has proven. */
  readonly directories: 'proved' | 'trusted'
}

/** The caller and its organization: a SCIM token identifies an identity provider, not a person. */
export interface ScimRequest extends RequestContext {
  readonly org: { readonly org_id: string; readonly name: string }
  readonly caller: { readonly id: string; readonly name: string }
}

export interface Work {
  tx: Db
  request: ScimRequest
  ids: Ids
  deps: ScimDeps
  directories: 'proved' | 'trusted'
  /** People whose rights changed. */
  touched: Set<string>
}

export async function provision<T>(
  deps: ScimDeps,
  request: ScimRequest,
  change: (work: Work) => Promise<T>,
): Promise<T> {
  const { db, ids, directories, forgetCaller } = deps
  const touched = new Set<string>()
  const { org_id } = request.org
  const result = await db.withTransaction({ org_id, signin: true }, async tx => {
    touched.clear()
    await lockMembers(tx, org_id)
    // The token may have been revoked since the request was admitted: what it provisions could undo the revocation.
    // And whoever answers for it may have lost their role: the lock above keeps roles as they are.
    const token = await lockActiveToken(tx, org_id, { token_id: request.caller.id, now: request.now })
    if (!token || !isInForce(token)) throw scimTokenRequired()
    return change({ tx, request, ids, deps, directories, touched })
  })
  for (const user_id of touched) forgetCaller(user_id)
  return result
}

/** The same for every problem with the credential, so that it reveals nothing about the organization. */
export function scimTokenRequired(): AppError {
  return unauthenticated('A SCIM token of this organization is required')
}

/** The base URL of the organization's resources. */
export function buildScimUrl(base_url: string, org_name: string): string {
  return `${base_url}/scim/v2/${encodeURIComponent(org_name)}`
}
