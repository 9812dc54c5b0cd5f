// Checks a CI token against a trust rule, claim by claim. Its signature was verified before, with the keys of the
// issuer it names.
import { findPin, type TokenRule, WILDCARD_CLAIMS } from './rule.ts'

/** Maximum clock difference between CI systems and the service. */
const LEEWAY_S = 60
/** Some CI systems issue tokens that live as long as a job may run. */
const MAX_LIFETIME_S = 24 * 3600
const MAX_SHOWN_CHARACTERS = 200
const MAX_SUBJECT_CHARACTERS = 1024

export type TokenClaims = Readonly<Record<string, unknown>>

/** Claims describe the CI job and are not secret. */
export interface TokenReason {
  claim: string
  expected: string
  found: string
}

export type TokenVerdict = { ok: true; subject: string } | { ok: false; reasons: TokenReason[] }

export function evaluateToken(rule: TokenRule, claims: TokenClaims, now: Date): TokenVerdict {
  const subject = getClaim(claims, 'sub')
  const reasons = [
    ...evaluateIssuer(rule, claims),
    ...evaluateAudience(rule, claims),
    ...evaluateTimes(claims, now.getTime() / 1000),
    ...evaluateSubject(subject),
    ...evaluateClaims(rule, claims),
  ]
  return reasons.length === 0 && typeof subject === 'string' ? { ok: true, subject } : { ok: false, reasons }
}

function evaluateIssuer({ issuer }: TokenRule, claims: TokenClaims): TokenReason[] {
  const found = getClaim(claims, 'iss')
  return found === issuer ? [] : [{ claim: 'iss', expected: issuer, found: formatValue(found) }]
}

/** One matching audience is enough (RFC 7519, 4.1.3). */
function evaluateAudience({ audience }: TokenRule, claims: TokenClaims): TokenReason[] {
  const found = getClaim(claims, 'aud')
  const isIncluded = Array.isArray(found) ? found.includes(audience) : found === audience
  return isIncluded ? [] : [{ claim: 'aud', expected: audience, found: formatValue(found) }]
}

/** `nbf` is optional, as in the standard; without the other two the lifetime of the token is unknown. */
function evaluateTimes(claims: TokenClaims, now_s: number): TokenReason[] {
  const [exp, iat, nbf] = ['exp', 'iat', 'nbf'].map(name => getClaim(claims, name))
  const reasons: TokenReason[] = []
  const addReason = (claim: string, expected: string, found: unknown) =>
    reasons.push({ claim, expected, found: formatValue(found) })
  if (!isTimestamp(exp)) addReason('exp', 'a number of seconds', exp)
  else if (exp + LEEWAY_S <= now_s) addReason('exp', `after ${now_s}`, exp)
  if (!isTimestamp(iat)) addReason('iat', 'a number of seconds', iat)
  else if (iat - LEEWAY_S > now_s) addReason('iat', `not after ${now_s}`, iat)
  if (isTimestamp(exp) && isTimestamp(iat) && exp - iat > MAX_LIFETIME_S) {
    addReason('exp', `at most ${MAX_LIFETIME_S} s after iat`, exp)
  }
  if (nbf !== undefined && !isTimestamp(nbf)) addReason('nbf', 'a number of seconds', nbf)
  else if (isTimestamp(nbf) && nbf - LEEWAY_S > now_s) addReason('nbf', `not after ${now_s}`, nbf)
  return reasons
}

/** Stored and shown as the owner of the key. */
function evaluateSubject(subject: unknown): TokenReason[] {
  const isText = typeof subject === 'string' && subject !== '' && subject.length <= MAX_SUBJECT_CHARACTERS
  if (isText && !/[\p{Cc}\p{Cs}]/u.test(subject)) return []
  const expected = `a text of 1 to ${MAX_SUBJECT_CHARACTERS} printable characters`
  return [
    { claim: 'sub', expected, found: isText ? 'a text with unprintable characters' : formatValue(subject) },
  ]
}

/** A rule without a pin, which no version stores, would let every job of the issuer in. */
function evaluateClaims(rule: TokenRule, claims: TokenClaims): TokenReason[] {
  const pin = findPin(rule)
  if (pin === undefined) return [{ claim: 'sub', expected: 'a rule with a pin', found: 'a rule without one' }]
  return Object.entries(rule.claims).flatMap(([claim, expected]) => {
    const found = getClaim(claims, claim)
    const isFound = claim === pin ? isSame(expected, found) : isMatch(claim, expected, found)
    return isFound ? [] : [{ claim, expected, found: formatValue(found) }]
  })
}

function isMatch(claim: string, expected: string, found: unknown): boolean {
  if (expected.endsWith('*') && WILDCARD_CLAIMS.includes(claim)) {
    return readScalar(found)?.startsWith(expected.slice(0, -1)) ?? false
  }
  return isSame(expected, found)
}

const isSame = (expected: string, found: unknown): boolean => readScalar(found) === expected

/** Numbers and booleans are compared by their text; lists, objects and rounded numbers never match. */
function readScalar(found: unknown): string | undefined {
  const isScalar = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
  return isScalar && !isRounded(found) ? String(found) : undefined
}

/** Beyond 2^53, several numbers read as the same one. */
function isRounded(found: unknown): boolean {
  return Number.isInteger(found) && !Number.isSafeInteger(found)
}

/** A rule may require a claim named `constructor`, which plain objects inherit. */
function getClaim(claims: TokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

function isTimestamp(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SHOWN_CHARACTERS)
}
