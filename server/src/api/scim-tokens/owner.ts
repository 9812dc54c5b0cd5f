// Who answers for a SCIM token: whether they are an admin now, and the limits that their credential sets.
import { decideAccountRole, isTokenInForce, type TokenOwner } from '../../domain/credential-role.ts'
import { isWhole } from '../../domain/key-scope.ts'
import { isRole, type Role } from '../../domain/roles.ts'
import { forbidden } from '../../lib/errors.ts'
import type { Caller } from '../operation.ts'
import { areWithinAddresses } from '../shared/allowed-addresses.ts'
import type { TokenStanding } from './store.ts'

/** Whether the token works: whoever answers for it is an admin now. */
export function isInForce(standing: TokenStanding): boolean {
  return isTokenInForce(findOwner(standing))
}

function findOwner(standing: TokenStanding): TokenOwner {
  const { owner_user_id, owner_account_id, owner_role, account_privilege, account_owner_id } = standing
  if (owner_user_id !== null) return { role: toRole(owner_role) }
  if (owner_account_id === null) return null
  const own = toRole(account_privilege)
  if (own === null) return { role: null }
  const has_left = standing.account_keys_stop_at !== null
  const owner = account_owner_id === null ? null : { role: toRole(standing.account_owner_role), has_left }
  return { role: decideAccountRole(own, owner) }
}

function toRole(role: string | null): Role | null {
  return role !== null && isRole(role) ? role : null
}

/** The stored fields that name the owner of a token that the caller makes or adopts. */
export function toOwner({ kind, id, name }: Caller) {
  const isPerson = kind === 'user'
  return {
    owner_user_id: isPerson ? id : null,
    owner_account_id: isPerson ? null : id,
    owner_name: name,
  }
}

/** A token can do everything that an admin can do to people, so a key that cannot must not get one. */
export function refuseLimitedKey({ kind, scope }: Caller): void {
  if (kind === 'ci_job' || !isWhole(scope))
    throw forbidden(
      'A key that is limited to some operations, flows or environments cannot answer for a SCIM token',
    )
}

/** Without a request, the addresses from which the caller's own key may be used. */
export function limitAddresses(requested: string[] | null, { allowed_addresses }: Caller): string[] | null {
  if (requested === null) return allowed_addresses && [...allowed_addresses]
  if (areWithinAddresses(requested, allowed_addresses)) return requested
  throw forbidden(
    'A key that may be used only from some addresses cannot answer for a SCIM token with others',
  )
}
