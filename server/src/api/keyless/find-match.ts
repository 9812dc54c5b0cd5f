// Finds the trust rule that a token matches. A rule trusts either its issuer's published keys or its own keys, never
// both.
import type { Db } from '../../db/database.ts'
import { evaluateToken } from '../../domain/keyless/evaluate-token.ts'
import type { CiTokens, RuleMismatch, VerifiedToken } from '../../keyless/ci-tokens.ts'
import { listRulesByIssuer, type TrustRuleRow } from '../trust-rules/store.ts'

/** Limits how many unmatched rules one rejection writes to the log. */
const MAX_LOGGED_RULES = 20
const NOT_ALLOWED = 'its issuer is not one of WAYBILL_CI_ISSUERS, and no rule has keys for it'

export interface RuleMatch {
  rule: TrustRuleRow
  token: VerifiedToken
  subject: string
}

/** A token as sent, with an issuer that it merely claims. */
export interface SentToken {
  text: string
  issuer: string
  /** The token verified with the issuer's published keys; undefined if the operator does not allow the issuer. */
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
  sent: SentToken,
): Promise<RuleMatch | RuleMismatch[] | string> {
  const rules = await listRulesByIssuer(tx, org_id, sent.issuer)
  if (rules.length === 0 && sent.published === undefined) return NOT_ALLOWED
  const mismatches: RuleMismatch[] = []
  for (const rule of rules) {
    const token = await verifyFor(rule, sent, ciTokens)
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
  { text, published }: SentToken,
  ciTokens: CiTokens,
): Promise<VerifiedToken | string> {
  if (published === undefined) return jwks === null ? NOT_ALLOWED : ciTokens.verifyWith(text, jwks)
  return jwks === null
    ? published
    : 'the rule has its own keys, but the operator allows its issuer, so the published keys are fetched'
}
