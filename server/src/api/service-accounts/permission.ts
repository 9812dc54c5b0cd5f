// Decides who may manage which service account: admins all of them, others their own. Nobody can grant more than
// their own role, or create keys for an account with a higher privilege: that would be privilege escalation. What the
// organization owns, only admins make and manage.
import type { Db } from '../../db/database.ts'
import { isRole, isRoleAtLeast, type Role } from '../../domain/roles.ts'
import { forbidden, invalid, roleRequired } from '../../lib/errors.ts'
import { findMember } from '../members/store.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { noSuchAccount } from './problems.ts'
import * as store from './store.ts'

/** The stored fields that identify the creator of an account. */
export function toCreator(caller: Caller): { creating_user_id: string | null; created_by: string } {
  if (caller.kind === 'user') return { creating_user_id: caller.id, created_by: caller.name }
  // By id, because the name of a deleted service account can be reused. User names never contain a colon.
  return { creating_user_id: null, created_by: `service-account:${caller.id}` }
}

/** The short-lived key of a CI job must not create permanent access. */
export function refuseShortLived(caller: Caller): void {
  if (caller.kind === 'ci_job') throw roleRequired()
}

export function refuseEscalation(role: Role, privilege: string): void {
  if (!isRole(privilege) || !isRoleAtLeast(role, privilege)) throw roleRequired()
}

export interface AccountRequest {
  readonly params: { readonly name: string }
  readonly caller: Caller
  readonly org: CallerOrg
}

/** Locks the account until the end of the transaction. Throws unless the caller may manage it. */
export async function requireLockedAccount(
  tx: Db,
  { params, caller, org }: AccountRequest,
): Promise<store.AccountRow> {
  refuseShortLived(caller)
  const account = await store.lockAccount(tx, org.org_id, params.name)
  if (!account) throw noSuchAccount()
  if (org.role === 'admin') return account
  if (!(await isOwnedBy(tx, caller, org.org_id, account))) throw roleRequired()
  refuseEscalation(org.role, account.privilege)
  return account
}

/** A service account manages the accounts it created, as long as both have the same owner. */
async function isOwnedBy(
  tx: Db,
  caller: Caller,
  org_id: string,
  { owner_user_id, creating_user_id, created_by }: store.AccountRow,
): Promise<boolean> {
  if (owner_user_id === null) return false
  if (caller.kind === 'user') return owner_user_id === caller.id
  if (creating_user_id !== null || created_by !== toCreator(caller).created_by) return false
  return (await store.findOwnership(tx, org_id, caller.id))?.owner_user_id === owner_user_id
}

/** The organization decides who may create accounts. Defaults to admins. */
export function refuseCreator({ role, settings }: CallerOrg): void {
  const needed = settings.service_account_creators ?? 'admin'
  if (!isRoleAtLeast(role, needed)) {
    throw forbidden(`Creating service accounts needs the role '${needed}' in this organization`)
  }
}

export interface Ownership {
  owner_user_id: string | null
  owner_name: string | null
  keys_stop_at: Date | null
  /** The owner's present role; null without an owner, and if they are no member. */
  owner_role: string | null
}

const OF_ORGANIZATION: Ownership = {
  owner_user_id: null,
  owner_name: null,
  keys_stop_at: null,
  owner_role: null,
}

/** The caller. If a service account creates another, both have the same owner, so both stop when that person leaves. */
export async function findDefaultOwner(tx: Db, caller: Caller, org: CallerOrg): Promise<Ownership> {
  if (caller.kind === 'user')
    return { owner_user_id: caller.id, owner_name: caller.name, keys_stop_at: null, owner_role: org.role }
  const owned = await store.findOwnership(tx, org.org_id, caller.id)
  if (owned && owned.owner_user_id !== null) return owned
  if (org.role !== 'admin')
    throw forbidden('Only admins can create a service account that the organization owns, like the caller')
  return OF_ORGANIZATION
}

/** Only admins can give an account to a member or to the organization. Its keys then keep working. */
export async function resolveOwner(tx: Db, org: CallerOrg, owner: string | null): Promise<Ownership> {
  if (org.role !== 'admin') throw forbidden('Only admins can set the owner of a service account')
  if (owner === null) return OF_ORGANIZATION
  const member = await findMember(tx, org.org_id, owner)
  if (!member) throw invalid({ owner: `'${owner}' is not a member of organization '${org.name}'` })
  return { owner_user_id: member.user_id, owner_name: owner, keys_stop_at: null, owner_role: member.role }
}
