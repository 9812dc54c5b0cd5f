// Errors about members.
import type { Db } from '../../db/database.ts'
import { type AppError, notFound } from '../../lib/errors.ts'
import type { CallerOrg } from '../operation.ts'
import { findMember } from './store.ts'

function noSuchMember(user: string, org: string): AppError {
  return notFound(`User '${user}' is not a member of organization '${org}'`)
}

/** Finds the id of a member or throws. */
export async function requireMember(tx: Db, org: CallerOrg, user: string): Promise<string> {
  const member = await findMember(tx, org.org_id, user)
  if (!member) throw noSuchMember(user, org.name)
  return member.user_id
}
