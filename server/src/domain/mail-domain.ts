// Mail domains that an organization claims, and how DNS proves the claim.

/** A proof survives a name server that is away, or a record that was removed by mistake, for this long. */
export const PROOF_VALID_DAYS = 7

const RECORD_PREFIX = '_waybill-challenge.'
const VALUE_PREFIX = 'waybill-domain='

/** Where the TXT record must be. */
export function buildRecordName(domain: string): string {
  return `${RECORD_PREFIX}${domain}`
}

/** What the TXT record must hold. */
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

/** Why a domain is not proved: the whole list. */
export const DOMAIN_PROBLEMS = {
  no_answer: 'The name servers did not answer; try again later',
  no_record: 'There is no TXT record at this name yet',
  other_value: 'The TXT record at this name holds another value',
  claimed_elsewhere:
    'The TXT record of another organization is there as well; remove it to move the domain to this organization',
} as const
export type DomainProblem = keyof typeof DOMAIN_PROBLEMS

export interface DomainCheck {
  challenge: string
  /** The challenge of the organization that has proved the domain, unless it is this one. */
  holder_challenge: string | undefined
  /** The texts of all TXT records at the name; undefined when no name server answered. */
  records: readonly string[] | undefined
}

/** Null when the domain is proved. */
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

/** Whether an earlier proof is over after a check that failed. */
export function isProofExpired(confirmed_at: Date, now: Date): boolean {
  return now.getTime() - confirmed_at.getTime() > PROOF_VALID_DAYS * 86_400_000
}
