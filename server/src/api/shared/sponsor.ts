// Finds who stands behind the organizations of a person.
import type { Db } from '../../db/database.ts'
import { extractMailDomain } from '../../domain/mail-domain.ts'
import { type Account, decideSponsor } from '../../domain/sponsor.ts'
import { findPersonWithSponsor, isProvedDomain } from './sponsor-store.ts'

/** For a new account. Call it in the scope of sign-in. */
export async function chooseSponsor(
  tx: Db,
  account: Account,
  vouching_domains: readonly string[],
): Promise<string> {
  const domain = account.email === null ? undefined : extractMailDomain(account.email)
  const proved = domain !== undefined && (await isProvedDomain(tx, domain)) ? [domain] : []
  return decideSponsor(account, [...vouching_domains, ...proved])
}

/** For another organization of a person: the same as for their personal one. Call it in the scope of sign-in. */
export async function findSponsor(
  tx: Db,
  user_id: string,
  vouching_domains: readonly string[],
): Promise<string> {
  const { sponsor = null, email = null } = (await findPersonWithSponsor(tx, user_id)) ?? {}
  return sponsor ?? chooseSponsor(tx, { user_id, email }, vouching_domains)
}
