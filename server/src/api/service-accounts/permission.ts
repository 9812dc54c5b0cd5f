// Who may manage which service account: an admin every one, others those that they own. Nobody gives more than they have,
// and nobody makes keys of an account that may do more than they may: the keys would be a way up.
import type { Db } from '../../db/database.ts'
import { isRole, isRoleAtLeast, type Role } from '../../domain/roles.ts'
import { forbidden, invalid, roleRequired } from '../../lib/errors.ts'
import { findMember } from '../members/store.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { noSuchAccount } from './problems.ts'
import * as store from './store.ts'

/** What is stored of whoever creates an account. */
export function toCreator(caller: Caller): { creating_user_id: string | null; created_by: string } {
  if (caller.kind === 'user') return { creating_user_id: caller.id, created_by: caller.name }
  // By id: the name of a deleted service account may be another's tomorrow. No user name has a colon.
  return { creating_user_id: null, created_by: `service-account:${caller.id}` }
}

/** A key for a quarter of an hour must not become one for ever. */
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

/** The account, held until the end of the transaction, if the caller may manage it. */
export async function requireLockedAccount(
  tx: Db,
  { params, caller, org }: AccountRequest,
): Promise<store.AccountRow> {
  refuseShortLived(caller)
  const account = await store.lockAccount(tx, org.org_id, params.name)
  if (!account) throw noSuchAccount()
  if (org.role === 'admin') return account
  if (!isOwnedBy(caller, account)) throw roleRequired()
  refuseEscalation(org.role, account.privilege)
  return account
}

/** A service account manages what it created, as long as nobody else became responsible for that. */
function isOwnedBy(caller: Caller, account: store.AccountRow): boolean {
  return caller.kind === 'user'
    ? account.owner_user_id === caller.id
    : account.creating_user_id === null && account.created_by === toCreator(caller).created_by
}

/** Who may create accounts is for the organization to say: admins, unless it says otherwise. */
export function refuseCreator({ role, settings }: CallerOrg): void {
  const needed = settings.service_account_creators ?? 'admin'
  if (!isRoleAtLeast(role, needed)) {
    throw forbidden(`Creating service accounts needs the role '${needed}' in this organization`)
  }
}

/** What is stored of the owner. */
export interface Ownership {
  owner_user_id: string | null
  owner_name: string | null
  keys_stop_at: Date | null
}

/** The caller themself; of what a service account creates, whoever owns that one: leaving ends both. */
export async function findDefaultOwner(tx: Db, caller: Caller, org_id: string): Promise<Ownership> {
  if (caller.kind === 'user') return { owner_user_id: caller.id, owner_name: caller.name, keys_stop_at: null }
  const owned = await store.findOwnership(tx, org_id, caller.id)
  return owned ?? { owner_user_id: null, owner_name: null, keys_stop_at: null }
}

/** An admin gives an account to a member, or to the organization: with that its keys go on working. */
export async function resolveOwner(tx: Db, org: CallerOrg, owner: string | null): Promise<Ownership> {
  if (org.role !== 'admin') throw forbidden('Only admins choose the owner of a service account')
  if (owner === null) return { owner_user_id: null, owner_name: null, keys_stop_at: null }
  const member = await findMember(tx, org.org_id, owner)
  if (!member) throw invalid({ owner: `'${owner}' is not a member of organization '${org.name}'` })
  return { owner_user_id: member.user_id, owner_name: owner, keys_stop_at: null }
}
