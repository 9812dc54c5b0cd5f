// Finds the trust rule that a token matches. A rule trusts either its issuer's published keys or its own keys, never
// both.
import type { Db } from '../../db/database.ts'
import { evaluateToken } from '../../domain/keyless/evaluate-token.ts'
import { findKey, type Jwk } from '../../domain/keyless/jwks.ts'
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
  { sent, published }: ReadToken,
): Promise<RuleMatch | RuleMismatch[] | string> {
  const rules = await listRulesByIssuer(tx, org_id, sent.issuer)
  const verify = published ? makePublished(published) : await verifyWithKeys(rules, sent, ciTokens)
  if (rules.length === 0 && published === undefined) return NOT_ALLOWED
  const mismatches: RuleMismatch[] = []
  for (const rule of rules) {
    const token = verify(rule)
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

type Verify = (rule: TrustRuleRow) => VerifiedToken | string

function makePublished(published: VerifiedToken): Verify {
  return ({ jwks }) =>
    jwks === null
      ? published
      : 'the rule has its own keys, but the operator allows its issuer, so the published keys are fetched'
}

/**
 * Rules for one issuer usually have the same keys, and each key verifies once. If there is none, the same work is done
 * in vain: an organization with such a rule must not be told apart from one without it.
 */
async function verifyWithKeys(
  rules: readonly TrustRuleRow[],
  sent: SentToken,
  ciTokens: CiTokens,
): Promise<Verify> {
  const keys = rules
    .map(({ jwks }) => (jwks ? findKey(jwks, sent) : undefined))
    .filter(key => key !== undefined)
  const results = new Map<string, VerifiedToken | string>()
  for (const [id, key] of new Map(keys.map(key => [identify(key), key]))) {
    results.set(id, await ciTokens.verifyWith(sent, key))
  }
  if (results.size === 0) await ciTokens.verifyInVain(sent)
  return ({ jwks }) => {
    if (jwks === null) return NOT_ALLOWED
    const key = findKey(jwks, sent)
    return (key && results.get(identify(key))) ?? 'the rule has no key of that id for its algorithm'
  }
}

const identify = (key: Jwk): string => JSON.stringify(key)
