// Who stands behind an organization, and so takes turns for it. Organizations with one sponsor share one turn, because
// anybody can open many of them.
import { extractMailDomain } from './mail-domain.ts'

export const PERSON = 'person:'

export interface Account {
  user_id: string
  /** Null unless somebody with authority over the address has vouched for it. */
  email: string | null
}

/**
 * The sponsor of the organizations of a person. Decided once, when the account is made: a person who could change it
 * would get one turn for each mail domain they can prove. A domain can only join people, never divide one person.
 * `vouching_domains`: mail domains for whose people a directory or an identity provider answers, and so may make any
 * number of accounts.
 */
export function decideSponsor({ user_id, email }: Account, vouching_domains: readonly string[]): string {
  const domain = email === null ? undefined : extractMailDomain(email)
  return domain !== undefined && vouching_domains.includes(domain) ? `domain:${domain}` : toPerson(user_id)
}

export function toPerson(user_id: string): string {
  return `${PERSON}${user_id}`
}

interface ProviderDomains {
  mail_domains: readonly string[]
}

/**
 * The domains of identity providers that each sign in the people of one company. A single provider serves the whole
 * installation, so it tells nobody apart.
 */
export function listVouchingDomains(providers: readonly ProviderDomains[]): string[] {
  if (providers.length < 2) return []
  return providers.flatMap(({ mail_domains }) => mail_domains.filter(domain => domain !== '*'))
}
