// Speaks to identity providers, by openid-client: discovery, authorization code with PKCE, state and nonce. It goes only
// where the operator's settings say. The signature of an ID token is checked also where TLS would do.
import * as oidc from 'openid-client'
import type { Egress } from '../egress/egress.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'

/** What a provider says of itself is asked again after this long. */
const REDISCOVER_MS = 60 * 60 * 1000
const SCOPE = 'openid email profile'

export interface Provider {
  id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string | undefined
  /** The mail domains whose people sign in here; empty when it is not bound to any. */
  mail_domains: readonly string[]
  /** Whose addresses are believed although it does not say whether they are verified. */
  trusted_mail_domains: readonly string[]
  /** The claim that says which roles somebody gets when they first come, and what its values mean. */
  role_claim: string | undefined
  role_map: Readonly<Record<string, { role: string; org: string }>>
}

export interface Claims {
  issuer: string
  subject: string
  /** Everything the provider said. */
  all: Record<string, unknown>
}

/** What must come back unchanged, and what proves that we began it. */
export interface Proof {
  state: string
  nonce: string
  verifier: string
}

export interface Oidc {
  createProof(): Proof
  /** Where to send the browser. */
  buildAuthorizationUrl(provider: Provider, redirect_uri: string, proof: Proof): Promise<string>
  /** Throws when the answer, or anything the provider says after it, is not exactly as it must be. */
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
      assert(claims, 'an ID token was demanded')
      const more = await fetchMoreClaims(client, provider, claims, tokens.access_token)
      return { issuer: claims.iss, subject: claims.sub, all: { ...more, ...claims } }
    },
  }
}

function discover(
  { issuer, client_id, client_secret }: Provider,
  egress: Pick<Egress, 'fetch'>,
  timeout_ms: number,
): Promise<oidc.Configuration> {
  const address = new URL(issuer)
  // Settings refuse an address without TLS in production, except on this machine.
  const isPlain = address.protocol === 'http:'
  return oidc.discovery(
    address,
    client_id,
    undefined,
    client_secret === undefined ? oidc.None() : oidc.ClientSecretBasic(client_secret),
    {
      timeout: timeout_ms / 1000,
      // Kept for everything that is asked later. The types of the library leave out what a body may be.
      [oidc.customFetch]: (address, init) => egress.fetch(address, init as RequestInit),
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    },
  )
}

/** Many providers tell the address only here. The subject must be the same. */
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

/** Why it failed, without anything that came along: an error of the library carries whole answers. */
export function describeError(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string }
  const cause = (error as { error?: unknown }).error
  return [name, code, message, typeof cause === 'string' ? cause.slice(0, 100) : undefined]
    .filter(part => part !== undefined)
    .join(': ')
}
