// Finds the trust rule that a token matches. A rule trusts either its issuer's published keys or its own keys, never
// both.
import type { Db } from '../../db/database.ts'
import { evaluateToken } from '../../domain/keyless/evaluate-token.ts'
import type { CiTokens, RuleMismatch, SentToken, VerifiedToken } from '../../keyless/ci-tokens.ts'
import { listRulesByIssuer, type TrustRuleRow } from '../trust-rules/store.ts'

/** Limits how many unmatched rules one rejection writes to the log. */
const MAX_LOGGED_RULES = 20
const NOT_ALLOWED = 'its issuer is not one of WAYBILL_CI_ISSUERS, and no rule has keys for it'

export interface RuleMatch {
  rule: TrustRuleRow
  token: VerifiedToken
  subject: string
}

/** A token, and what its issuer's published keys say of it; undefined if the operator does not allow the issuer. */
export interface ReadToken {
  sent: SentToken
  published: VerifiedToken | undefined
}

interface Where {
  org_id: string
  now: Date
  ciTokens: CiTokens
}

/** Returns the first rule that the token matches, or the reasons why each rule did not match. */
export async function findMatchingRule(
  tx: Db,
  { org_id, now, ciTokens }: Where,
  read: ReadToken,
): Promise<RuleMatch | RuleMismatch[] | string> {
  const rules = await listRulesByIssuer(tx, org_id, read.sent.issuer)
  if (rules.length === 0 && read.published === undefined) return NOT_ALLOWED
  const mismatches: RuleMismatch[] = []
  for (const rule of rules) {
    const token = await verifyFor(rule, read, ciTokens)
    const verdict = typeof token === 'string' ? token : evaluateToken(rule, token.claims, now)
    if (typeof token === 'string' || typeof verdict === 'string') {
      mismatches.push({ rule: rule.name, reasons: String(verdict) })
    } else if (verdict.ok) {
      return { rule, token, subject: verdict.subject }
    } else {
      mismatches.push({ rule: rule.name, reasons: verdict.reasons })
    }
  }
  return mismatches.slice(0, MAX_LOGGED_RULES)
}

async function verifyFor(
  { jwks }: TrustRuleRow,
  { sent, published }: ReadToken,
  ciTokens: CiTokens,
): Promise<VerifiedToken | string> {
  if (published === undefined) return jwks === null ? NOT_ALLOWED : ciTokens.verifyWith(sent, jwks)
  return jwks === null
    ? published
    : 'the rule has its own keys, but the operator allows its issuer, so the published keys are fetched'
}
