// Who may manage which service account: an admin every one, others those that they created. Nobody gives more than they
// have, and nobody makes keys of an account that may do more than they may: the keys would be a way up.
import type { Db } from '../../db/database.ts'
import { isRole, type Role, roleSuffices } from '../../domain/roles.ts'
import { lacksRole } from '../../lib/errors.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { noSuchAccount } from './problems.ts'
import * as store from './store.ts'

/** What is stored of whoever creates an account. */
export function creatorOf(caller: Caller): { creating_user_id: string | null; created_by: string } {
  if (caller.kind === 'user') return { creating_user_id: caller.id, created_by: caller.name }
  // By id: the name of a deleted service account may be another's tomorrow. No user name has a colon.
  return { creating_user_id: null, created_by: `service-account:${caller.id}` }
}

/** A key for a quarter of an hour must not become one for ever. */
export function refuseShortLived(caller: Caller): void {
  if (caller.kind === 'ci_job') throw lacksRole()
}

export function refuseMoreThan(held: Role, privilege: string): void {
  if (!isRole(privilege) || !roleSuffices(held, privilege)) throw lacksRole()
}

export interface AccountRequest {
  readonly params: { readonly name: string }
  readonly caller: Caller
  readonly org: CallerOrg
}

/** The account, held until the end of the transaction, if the caller may manage it. */
export async function holdAccount(
  tx: Db,
  { params, caller, org }: AccountRequest,
): Promise<store.AccountRow> {
  refuseShortLived(caller)
  const account = await store.lockAccount(tx, org.org_id, params.name)
  if (!account) throw noSuchAccount()
  if (org.role === 'admin') return account
  if (!isCreatedBy(caller, account)) throw lacksRole()
  refuseMoreThan(org.role, account.privilege)
  return account
}

function isCreatedBy(caller: Caller, account: store.AccountRow): boolean {
  return caller.kind === 'user'
    ? account.creating_user_id === caller.id
    : account.creating_user_id === null && account.created_by === creatorOf(caller).created_by
}
