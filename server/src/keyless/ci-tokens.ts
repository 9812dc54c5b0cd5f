// Verifies CI tokens: whether the issuer is allowed, and whether it signed the token. domain/keyless then evaluates
// the claims.

import type { Egress } from '@waybill/egress'
import { type CompactVerifyGetKey, compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { TokenClaims, TokenReason } from '../domain/keyless/evaluate-token.ts'
import { ALGORITHMS, type Jwk, makeStandInKey } from '../domain/keyless/jwks.ts'
import { findHeaderProblem } from '../domain/signed-token.ts'
import type { Clock } from '../lib/clock.ts'
import { issuerUnavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { readJwt } from '../lib/read-jwt.ts'
import { hashSecret } from '../lib/secrets.ts'
import { IssuerUnavailable, makeIssuerKeys, RETRY_AFTER_FAILURE_MS } from './issuer-keys.ts'

/** A token as sent: what it says proves nothing yet. */
export interface SentToken {
  text: string
  issuer: string
  kid: string
  alg: string
  claims: TokenClaims
}

export interface VerifiedToken {
  issuer: string
  claims: TokenClaims
  /**
   * Hash of the signed content. The same signature can be encoded in several ways, and the token would look like
   * another one.
   */
  token_hash: string
}

export interface Refusal {
  org: string
  request_id: string
  /** The reasons by rule; a token that matched no rule has one sentence instead. */
  reasons: string | RuleMismatch[]
}

export interface RuleMismatch {
  rule: string
  /** A sentence if the keys of the rule did not sign the token. */
  reasons: string | TokenReason[]
}

export interface CiTokens {
  /** The issuers that the operator lets organizations trust. */
  readonly issuers: readonly string[]
  /** A sentence for text that is accepted from no issuer. */
  read(text: string): SentToken | string
  /** The token if an allowed issuer signed it, or the reason why it is rejected. */
  verify(token: SentToken): Promise<VerifiedToken | string>
  /** Verifies a token with a key of a trust rule. Fetches nothing. */
  verifyWith(token: SentToken, key: Jwk): Promise<VerifiedToken | string>
  /** Does the same work with a key that vouches for nothing. */
  verifyInVain(token: SentToken): Promise<void>
  /** The sender learns nothing; the operator finds the refusal in the log. */
  noteRefusal(refusal: Refusal): void
}

export interface CiTokensParts {
  issuers: readonly string[]
  egress: Pick<Egress, 'fetch'>
  clock: Clock
  log: Log
  parseJson(bytes: Buffer, field: string): unknown
  /** How long an issuer may take to respond. */
  timeout_ms: number
}

export function makeCiTokens({ issuers, log, ...parts }: CiTokensParts): CiTokens {
  const issuerKeys = makeIssuerKeys(issuers, {
    ...parts,
    onFailure: (issuer, error) => log.warn({ err: error, issuer }, 'an issuer of CI tokens does not answer'),
  })
  return {
    issuers,
    noteRefusal: refusal => log.info(refusal, 'a CI token was not accepted'),
    read: readToken,
    verifyWith: (token, key) => checkSignature(token, makeVerifier(key)),
    verifyInVain: async token => {
      await checkSignature(token, makeVerifier(makeStandInKey(token)))
    },
    verify: async token => {
      const { issuer, kid } = token
      if (!issuers.includes(issuer)) return 'its issuer is not one of WAYBILL_CI_ISSUERS'
      const keys = await issuerKeys.find(issuer, kid).catch(error => {
        throw error instanceof IssuerUnavailable ? issuerUnavailable(RETRY_AFTER_FAILURE_MS / 1000) : error
      })
      if (!keys) return 'its issuer has no key of that id'
      return checkSignature(token, keys.verifier)
    },
  }
}

function makeVerifier(key: Jwk): CompactVerifyGetKey {
  return createLocalJWKSet({ keys: [key] } as unknown as JSONWebKeySet)
}

async function checkSignature(
  { text, issuer, claims }: SentToken,
  verifier: CompactVerifyGetKey,
): Promise<VerifiedToken | string> {
  try {
    await compactVerify(text, verifier, { algorithms: ALGORITHMS })
  } catch {
    // Whatever is wrong with the token or the key it names, it proves nothing.
    return 'its signature does not verify'
  }
  return { issuer, claims, token_hash: hashSecret(text.slice(0, text.lastIndexOf('.'))) }
}

function readToken(text: string): SentToken | string {
  const read = readJwt(text)
  if (typeof read === 'string') return read
  const { header, claims } = read
  const problem = findHeaderProblem(header)
  if (problem !== undefined) return problem
  const { alg, kid } = header
  const { iss } = claims
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg))
    return `its algorithm (alg) should be one of ${ALGORITHMS.join(', ')}`
  if (typeof kid !== 'string') return 'its header names no key (kid)'
  if (typeof iss !== 'string') return 'it names no issuer (iss)'
  return { text, issuer: iss, kid, alg, claims }
}
