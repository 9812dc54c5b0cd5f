// Tokens of CI systems: who is allowed to issue them, and whether the one that a token names has signed it. What the token
// says is judged afterwards, in domain/keyless.
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose'
import type { TokenClaims, TokenReason } from '../domain/keyless/evaluate-token.ts'
import type { Egress } from '../egress/egress.ts'
import type { Clock } from '../lib/clock.ts'
import { issuerUnavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { hashSecret } from '../lib/secrets.ts'
import { IssuerUnavailable, makeIssuerKeys, REST_AFTER_FAILURE_MS } from './issuer-keys.ts'

/** Signatures by a private key only: what has none, or one by a shared secret, could be made by anybody. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']

export interface VerifiedToken {
  issuer: string
  claims: TokenClaims
  /** Of what is signed. The signature itself can be written in several ways, and the token would pass for another. */
  token_hash: string
}

export interface Refusal {
  org: string
  request_id: string
  /** By rule; a token that got to no rule has one sentence instead. */
  reasons: string | { rule: string; reasons: TokenReason[] }[]
}

export interface CiTokens {
  /** Whose tokens the operator lets orgs trust. */
  readonly issuers: readonly string[]
  /** The claims of a token that an allowed issuer signed, or in a few words why it is none. */
  verify(token: string): Promise<VerifiedToken | string>
  /** The sender is told nothing; whoever runs the service can look it up. */
  noteRefusal(refusal: Refusal): void
}

export interface CiTokensParts {
  issuers: readonly string[]
  egress: Pick<Egress, 'fetch'>
  clock: Clock
  log: Log
  parseJson(bytes: Buffer, field: string): unknown
  /** How long an issuer may take to answer. */
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
    verify: async token => {
      const unverified = readUnverified(token)
      if (!unverified) return 'it is not a signed token'
      const { issuer, kid, claims } = unverified
      if (!issuers.includes(issuer)) return 'its issuer is not one of WAYBILL_CI_ISSUERS'
      const keys = await issuerKeys.find(issuer, kid).catch(error => {
        throw error instanceof IssuerUnavailable ? issuerUnavailable(REST_AFTER_FAILURE_MS / 1000) : error
      })
      if (!keys) return 'its issuer has no key of that id'
      try {
        await compactVerify(token, keys.verifier, { algorithms: ALGORITHMS })
      } catch {
        // Whatever is wrong with a stranger's token, or with the key that it names, it proves nothing.
        return 'its signature does not verify'
      }
      return { issuer, claims, token_hash: hashSecret(token.slice(0, token.lastIndexOf('.'))) }
    },
  }
}

function readUnverified(token: string) {
  try {
    const { kid } = decodeProtectedHeader(token)
    const claims = decodeJwt(token)
    const { iss } = claims
    if (typeof kid !== 'string' || typeof iss !== 'string') return undefined
    return { kid, issuer: iss, claims: claims as TokenClaims }
  } catch {
    // Anything may come as a token; what cannot be read is none.
    return undefined
  }
}
