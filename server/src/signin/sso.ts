// Single sign-on, from the button to the session: what must come back is kept sealed under the state's hash, bound to the
// browser and the provider, and taken once.
import type { Deps } from '../api/operation.ts'
import { hashSecret } from '../lib/secrets.ts'
import { recordFailure } from './failures.ts'
import { type Claims, type Oidc, type Proof, type Provider, reasonOf } from './oidc.ts'
import { giveMappedRoles, type Occasion, personFor } from './people.ts'
import { touchIdentity } from './people-store.ts'
import { type EnterDeps, type Entered, enter, type Visitor } from './session.ts'
import { lockPerson, saveAttempt, takeAttempt } from './store.ts'

const ATTEMPT_MS = 10 * 60 * 1000
const PURPOSE = 'sign-in attempt'
const MAX_STATE = 512

export interface SsoParts {
  deps: Pick<Deps, 'db' | 'sealer' | 'base_url'> & EnterDeps
  oidc: Oidc
  providers: readonly Provider[]
  /** Why a sign-in failed is for the operator, not for whoever tries. */
  onRefused(provider_id: string, reason: string): void
}

/** Where to send the browser; undefined when the provider does not answer. */
export async function beginSso(
  { deps, oidc, onRefused }: SsoParts,
  provider: Provider,
  { browser, next_path, now }: { browser: string; next_path: string; now: Date },
): Promise<string | undefined> {
  const proof = oidc.newProof()
  let address: string
  try {
    address = await oidc.authorizationUrl(provider, callbackOf(deps.base_url, provider), proof)
  } catch (error) {
    // The provider's trouble, or its settings': the browser is told that it cannot be reached.
    onRefused(provider.id, reasonOf(error))
    return undefined
  }
  const attempt = {
    state_hash: hashSecret(proof.state),
    browser_hash: hashSecret(browser),
    provider: provider.id,
    sealed: deps.sealer.seal(PURPOSE, `${proof.nonce} ${proof.verifier}`),
    next_path,
    now,
    expires_at: new Date(now.getTime() + ATTEMPT_MS),
  }
  await deps.db.inTransaction({ signin: true }, tx => saveAttempt(tx, attempt))
  return address
}

/** Undefined when anything is not as it must be. */
export async function finishSso(
  parts: SsoParts,
  provider: Provider,
  query: URLSearchParams,
  visitor: Visitor,
  occasion: Occasion,
): Promise<Entered | undefined> {
  const { deps, onRefused } = parts
  const { now } = occasion
  const begun = await takeBegun(parts, provider, query, visitor, now)
  const claims = begun && (await claimsFrom(parts, provider, query, begun.proof))
  if (!begun || !claims) return undefined
  const person = await personFor(deps, { provider, providers: parts.providers, claims }, occasion)
  if (!person || person.is_deactivated) {
    onRefused(provider.id, person ? 'the user is deactivated' : 'the mail address is not accepted')
    const reason = 'the person is deactivated'
    if (person) await recordFailure(deps, visitor, { user_id: person.user_id, method: 'sso', reason, now })
    return undefined
  }
  if (person.is_new) await giveMappedRoles(deps, { provider, claims }, person, occasion)
  const { issuer, subject } = claims
  return deps.db.inTransaction({ signin: true }, async tx => {
    await lockPerson(tx, person.user_id)
    const user_id = await touchIdentity(tx, { issuer, subject, now })
    if (user_id === undefined) return undefined
    return enter(tx, deps, visitor, { user_id, method: 'sso', next_path: begun.next_path, now })
  })
}

async function takeBegun(
  { deps, onRefused }: SsoParts,
  provider: Provider,
  query: URLSearchParams,
  { browser }: Visitor,
  now: Date,
): Promise<{ proof: Proof; next_path: string } | undefined> {
  const states = query.getAll('state')
  const [state = ''] = states
  if (browser === undefined || states.length !== 1 || state === '' || state.length > MAX_STATE) {
    onRefused(provider.id, 'there is no state, or not the browser that began')
    return undefined
  }
  const wanted = {
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browser),
    provider: provider.id,
    now,
  }
  const taken = await deps.db.inTransaction({ signin: true }, tx => takeAttempt(tx, wanted))
  const opened = taken && deps.sealer.open(PURPOSE, taken.sealed)
  const [nonce, verifier] = opened?.split(' ') ?? []
  if (!taken || nonce === undefined || verifier === undefined) {
    onRefused(provider.id, 'the state is unknown, used, too old or of another browser')
    return undefined
  }
  return { proof: { state, nonce, verifier }, next_path: taken.next_path }
}

async function claimsFrom(
  { deps, oidc, onRefused }: SsoParts,
  provider: Provider,
  query: URLSearchParams,
  proof: Proof,
): Promise<Claims | undefined> {
  try {
    const answer = new URL(`${callbackOf(deps.base_url, provider)}?${query}`)
    return await oidc.claimsFrom(provider, answer, proof)
  } catch (error) {
    // Whatever was wrong with the answer, the browser learns only that it did not get in.
    onRefused(provider.id, reasonOf(error))
    return undefined
  }
}

function callbackOf(base_url: string, { id }: Provider): string {
  return `${base_url}/auth/sso/${encodeURIComponent(id)}/callback`
}
