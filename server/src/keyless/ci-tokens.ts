// Verifies CI tokens: whether the issuer is allowed, and whether it signed the token. domain/keyless then evaluates
// the claims.

import type { Egress } from '@waybill/egress'
import {
  type CompactVerifyGetKey,
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
} from 'jose'
import type { TokenClaims, TokenReason } from '../domain/keyless/evaluate-token.ts'
import { ALGORITHMS, type Jwks } from '../domain/keyless/jwks.ts'
import type { Clock } from '../lib/clock.ts'
import { issuerUnavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { hashSecret } from '../lib/secrets.ts'
import { IssuerUnavailable, makeIssuerKeys, RETRY_AFTER_FAILURE_MS } from './issuer-keys.ts'

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
  /** The issuer that the token names, which proves nothing. Undefined if it is not a signed token. */
  readIssuer(token: string): string | undefined
  /** The claims of a token signed by an allowed issuer, or the reason why it is rejected. */
  verify(token: string): Promise<VerifiedToken | string>
  /** Verifies a token with the keys of a trust rule. Fetches nothing. */
  verifyWith(token: string, jwks: Jwks): Promise<VerifiedToken | string>
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
    readIssuer: token => readUnverified(token)?.issuer,
    verifyWith: async (token, jwks) => {
      const unverified = readUnverified(token)
      if (!unverified) return NOT_SIGNED
      if (!jwks.keys.some(({ kid }) => kid === unverified.kid)) return 'the rule has no key of that id'
      return checkSignature(token, unverified, createLocalJWKSet(jwks as unknown as JSONWebKeySet))
    },
    verify: async token => {
      const unverified = readUnverified(token)
      if (!unverified) return NOT_SIGNED
      const { issuer, kid } = unverified
      if (!issuers.includes(issuer)) return 'its issuer is not one of WAYBILL_CI_ISSUERS'
      const keys = await issuerKeys.find(issuer, kid).catch(error => {
        throw error instanceof IssuerUnavailable ? issuerUnavailable(RETRY_AFTER_FAILURE_MS / 1000) : error
      })
      if (!keys) return 'its issuer has no key of that id'
      return checkSignature(token, unverified, keys.verifier)
    },
  }
}

const NOT_SIGNED = 'it is not a signed token'

interface UnverifiedToken {
  kid: string
  issuer: string
  claims: TokenClaims
}

async function checkSignature(
  token: string,
  { issuer, claims }: UnverifiedToken,
  verifier: CompactVerifyGetKey,
): Promise<VerifiedToken | string> {
  try {
    await compactVerify(token, verifier, { algorithms: ALGORITHMS })
  } catch {
    // Whatever is wrong with the token or the key it names, it proves nothing.
    return 'its signature does not verify'
  }
  return { issuer, claims, token_hash: hashSecret(token.slice(0, token.lastIndexOf('.'))) }
}

function readUnverified(token: string): UnverifiedToken | undefined {
  try {
    const { kid } = decodeProtectedHeader(token)
    const claims = decodeJwt(token)
    const { iss } = claims
    if (typeof kid !== 'string' || typeof iss !== 'string') return undefined
    return { kid, issuer: iss, claims: claims as TokenClaims }
  } catch {
    // Anything may be sent as a token; text that cannot be parsed is not one.
    return undefined
  }
}
