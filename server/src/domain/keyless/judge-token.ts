// Whether a token is what a trust rule asks for, claim by claim. Its signature has been verified before, with the keys of
// the issuer that it names.
import { OPEN_ENDED_CLAIMS, type TokenRule } from './rule.ts'

/** Clocks of CI systems and ours differ by this much at most. */
export const LEEWAY_S = 60
/** Some CI systems let a token live as long as the job may take. */
export const LONGEST_LIFETIME_S = 24 * 3600
const LONGEST_SHOWN = 200
const LONGEST_SUBJECT = 1024

export type TokenClaims = Readonly<Record<string, unknown>>

/** Claims of a token tell what a job is, and are no secrets. */
export interface TokenReason {
  claim: string
  expected: string
  found: string
}

export type TokenVerdict = { ok: true; subject: string } | { ok: false; reasons: TokenReason[] }

export function judgeToken(rule: TokenRule, claims: TokenClaims, now: Date): TokenVerdict {
  const subject = claimOf(claims, 'sub')
  const reasons = [
    ...judgeIssuer(rule, claims),
    ...judgeAudience(rule, claims),
    ...judgeTimes(claims, now.getTime() / 1000),
    ...judgeSubject(subject),
    ...judgeClaims(rule, claims),
  ]
  return reasons.length === 0 && typeof subject === 'string' ? { ok: true, subject } : { ok: false, reasons }
}

function judgeIssuer({ issuer }: TokenRule, claims: TokenClaims): TokenReason[] {
  const found = claimOf(claims, 'iss')
  return found === issuer ? [] : [{ claim: 'iss', expected: issuer, found: shown(found) }]
}

/** One of several audiences will do (RFC 7519, 4.1.3). */
function judgeAudience({ audience }: TokenRule, claims: TokenClaims): TokenReason[] {
  const found = claimOf(claims, 'aud')
  const isMeant = Array.isArray(found) ? found.includes(audience) : found === audience
  return isMeant ? [] : [{ claim: 'aud', expected: audience, found: shown(found) }]
}

/** `nbf` may be missing, as the standard has it; without the other two nobody knows how long a token lives. */
function judgeTimes(claims: TokenClaims, now_s: number): TokenReason[] {
  const [exp, iat, nbf] = ['exp', 'iat', 'nbf'].map(name => claimOf(claims, name))
  const reasons: TokenReason[] = []
  const refuse = (claim: string, expected: string, found: unknown) =>
    reasons.push({ claim, expected, found: shown(found) })
  if (!isMoment(exp)) refuse('exp', 'a number of seconds', exp)
  else if (exp + LEEWAY_S <= now_s) refuse('exp', `after ${now_s}`, exp)
  if (!isMoment(iat)) refuse('iat', 'a number of seconds', iat)
  else if (iat - LEEWAY_S > now_s) refuse('iat', `not after ${now_s}`, iat)
  if (isMoment(exp) && isMoment(iat) && exp - iat > LONGEST_LIFETIME_S) {
    refuse('exp', `at most ${LONGEST_LIFETIME_S} s after iat`, exp)
  }
  if (nbf !== undefined && !isMoment(nbf)) refuse('nbf', 'a number of seconds', nbf)
  else if (isMoment(nbf) && nbf - LEEWAY_S > now_s) refuse('nbf', `not after ${now_s}`, nbf)
  return reasons
}

/** It is stored and shown as whom the key was given to. */
function judgeSubject(subject: unknown): TokenReason[] {
  const isText = typeof subject === 'string' && subject !== '' && subject.length <= LONGEST_SUBJECT
  if (isText && !/[\p{Cc}\p{Cs}]/u.test(subject)) return []
  const expected = `a text of 1 to ${LONGEST_SUBJECT} printable characters`
  return [{ claim: 'sub', expected, found: isText ? 'a text with others' : shown(subject) }]
}

function judgeClaims(rule: TokenRule, claims: TokenClaims): TokenReason[] {
  return Object.entries(rule.claims).flatMap(([claim, expected]) => {
    const found = claimOf(claims, claim)
    return matches(claim, expected, found) ? [] : [{ claim, expected, found: shown(found) }]
  })
}

/** Numbers and truth values are compared as they are written; lists and objects never match. */
function matches(claim: string, expected: string, found: unknown): boolean {
  if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean') return false
  const text = String(found)
  if (expected.endsWith('*') && OPEN_ENDED_CLAIMS.includes(claim)) {
    return text.startsWith(expected.slice(0, -1))
  }
  return text === expected
}

/** A rule may ask for a claim called `constructor`. */
function claimOf(claims: TokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST_SHOWN)
}
