// Talks to identity providers with openid-client: discovery, authorization code with PKCE, state and nonce. It
// contacts only hosts from the operator's settings. The signature of an ID token is checked even where TLS would
// suffice.

import type { Egress } from '@waybill/egress'
import * as oidc from 'openid-client'
import { findHeaderProblem } from '../domain/signed-token.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { readJwt } from '../lib/read-jwt.ts'

/** The provider's metadata is fetched again after this long. */
const REDISCOVER_MS = 60 * 60 * 1000
const SCOPE = 'openid email profile'

export interface Provider {
  id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string | undefined
  /** The mail domains of the provider's users; empty if it is not bound to any. */
  mail_domains: readonly string[]
  /** Domains whose addresses are trusted although the provider does not state whether they are verified. */
  trusted_mail_domains: readonly string[]
  /** The claim that gives new users their roles, and the meanings of its values. */
  role_claim: string | undefined
  role_map: Readonly<Record<string, { role: string; org: string }>>
}

export interface Claims {
  issuer: string
  subject: string
  /** All claims of the provider. */
  all: Record<string, unknown>
}

/** Values that must come back unchanged to prove that we started the sign-in. */
export interface Proof {
  state: string
  nonce: string
  verifier: string
}

export interface Oidc {
  createProof(): Proof
  /** The URL to redirect the browser to. */
  buildAuthorizationUrl(provider: Provider, redirect_uri: string, proof: Proof): Promise<string>
  /** Throws if the callback, or any later response of the provider, is not exactly as required. */
  readClaims(provider: Provider, answer: URL, proof: Proof): Promise<Claims>
}

export function makeOidc(clock: Clock, egress: Pick<Egress, 'fetch'>, timeout_ms: number): Oidc {
  const known = new Map<string, { client: oidc.Configuration; until_ms: number }>()

  async function getClient(provider: Provider): Promise<oidc.Configuration> {
    const kept = known.get(provider.id)
    if (kept && kept.until_ms > clock.monotonic_ms()) return kept.client
    const client = await discover(provider, egress, timeout_ms)
    known.set(provider.id, { client, until_ms: clock.monotonic_ms() + REDISCOVER_MS })
    return client
  }

  return {
    createProof: () => ({
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    }),
    buildAuthorizationUrl: async (provider, redirect_uri, { state, nonce, verifier }) => {
      const address = oidc.buildAuthorizationUrl(await getClient(provider), {
        redirect_uri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return address.href
    },
    readClaims: async (provider, answer, { state, nonce, verifier }) => {
      const client = await getClient(provider)
      const tokens = await oidc.authorizationCodeGrant(client, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      assert(claims && tokens.id_token, 'an ID token was requested')
      refuseOddToken(tokens.id_token)
      const more = await fetchMoreClaims(client, provider, claims, tokens.access_token)
      return { issuer: claims.iss, subject: claims.sub, all: { ...more, ...claims } }
    },
  }
}

/** The library refuses critical extensions and encryption; RFC 7515, 7519 and 8725 require more. */
function refuseOddToken(id_token: string): void {
  const read = readJwt(id_token)
  const problem = typeof read === 'string' ? read : findHeaderProblem(read.header)
  if (problem !== undefined) throw new Error(`the ID token is not accepted: ${problem}`)
}

function discover(
  { issuer, client_id, client_secret }: Provider,
  egress: Pick<Egress, 'fetch'>,
  timeout_ms: number,
): Promise<oidc.Configuration> {
  const address = new URL(issuer)
  // The settings reject URLs without TLS in production, except on this machine.
  const isPlain = address.protocol === 'http:'
  return oidc.discovery(
    address,
    client_id,
    undefined,
    client_secret === undefined ? oidc.None() : oidc.ClientSecretBasic(client_secret),
    {
      timeout: timeout_ms / 1000,
      // Used for all later requests. The library's types omit some body types.
      [oidc.customFetch]: (address, init) => egress.fetch(address, init as RequestInit),
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    },
  )
}

/** Many providers return the address only here. The subject must be the same. */
async function fetchMoreClaims(
  client: oidc.Configuration,
  { role_claim }: Provider,
  claims: oidc.IDToken,
  access_token: string,
): Promise<Record<string, unknown>> {
  const isComplete =
    claims.email !== undefined && (role_claim === undefined || claims[role_claim] !== undefined)
  if (isComplete || client.serverMetadata().userinfo_endpoint === undefined) return {}
  return oidc.fetchUserInfo(client, access_token, claims.sub)
}

/** The reason of a failure without any payload: the library's errors contain whole responses. */
export function describeError(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string }
  const cause = (error as { error?: unknown }).error
  return [name, code, message, typeof cause === 'string' ? cause.slice(0, 100) : undefined]
    .filter(part => part !== undefined)
    .join(': ')
}
