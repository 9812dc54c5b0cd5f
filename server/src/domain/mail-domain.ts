// Mail domains claimed by an organization, and how DNS proves the claim.

/** How long a proof survives unreachable name servers or an accidentally removed record. */
const PROOF_VALID_DAYS = 7

const RECORD_PREFIX = '_waybill-challenge.'
const VALUE_PREFIX = 'waybill-domain='

/** The name of the TXT record. */
export function buildRecordName(domain: string): string {
  return `${RECORD_PREFIX}${domain}`
}

/** The required value of the TXT record. */
export function buildRecordValue(challenge: string): string {
  return `${VALUE_PREFIX}${challenge}`
}

/** `Example.com.` and `example.com` are the same domain. */
export function normalizeDomain(domain: string): string {
  return domain.toLowerCase().replace(/\.$/, '')
}

export function extractMailDomain(email: string): string {
  return normalizeDomain(email.slice(email.lastIndexOf('@') + 1))
}

/** All reasons why a domain is not proven. */
export const DOMAIN_PROBLEMS = {
  no_answer: 'The name servers did not answer; try again later',
  no_record: 'There is no TXT record at this name yet',
  other_value: 'The TXT record at this name has another value',
  claimed_elsewhere:
    'The TXT record of another organization is there as well; remove it to move the domain to this organization',
} as const
export type DomainProblem = keyof typeof DOMAIN_PROBLEMS

export interface DomainCheck {
  challenge: string
  /** The challenge of another organization that has proven the domain; undefined if there is none. */
  holder_challenge: string | undefined
  /** The texts of all TXT records at the name; undefined if no name server answered. */
  records: readonly string[] | undefined
}

/** Null if the domain is proven. */
export function findDomainProblem({
  challenge,
  holder_challenge,
  records,
}: DomainCheck): DomainProblem | null {
  if (!records) return 'no_answer'
  if (records.length === 0) return 'no_record'
  if (!records.includes(buildRecordValue(challenge))) return 'other_value'
  const isClaimedElsewhere =
    holder_challenge !== undefined && records.includes(buildRecordValue(holder_challenge))
  return isClaimedElsewhere ? 'claimed_elsewhere' : null
}

/** Whether an earlier proof expires after a failed check. */
export function isProofExpired(confirmed_at: Date, now: Date): boolean {
  return now.getTime() - confirmed_at.getTime() > PROOF_VALID_DAYS * 86_400_000
}
