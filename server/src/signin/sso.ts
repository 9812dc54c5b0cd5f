// Single sign-on, from the button to the session: the values that must come back are stored sealed under the hash of
// the state, bound to the browser and the provider, and can be used once.
import type { Deps } from '../api/operation.ts'
import { hashSecret } from '../lib/secrets.ts'
import { recordFailure } from './failures.ts'
import { type Claims, describeError, type Oidc, type Proof, type Provider } from './oidc.ts'
import { assignMappedRoles, findOrCreatePerson, type RequestContext } from './people.ts'
import { touchIdentity } from './people-store.ts'
import { type SessionDeps, type StartedSession, startSession, type Visitor } from './session.ts'
import { lockPerson, saveAttempt, takeAttempt } from './store.ts'

const ATTEMPT_MS = 10 * 60 * 1000
const PURPOSE = 'sign-in attempt'
const MAX_STATE = 512

export interface SsoParts {
  deps: Pick<Deps, 'db' | 'sealer' | 'base_url'> & SessionDeps
  oidc: Oidc
  providers: readonly Provider[]
  /** The reason of a failed sign-in is for the operator, not for the person who tries. */
  onRefused(provider_id: string, reason: string): void
}

/** The URL to redirect the browser to; undefined if the provider does not respond. */
export async function beginSso(
  { deps, oidc, onRefused }: SsoParts,
  provider: Provider,
  { browser, next_path, now }: { browser: string; next_path: string; now: Date },
): Promise<string | undefined> {
  const proof = oidc.createProof()
  let address: string
  try {
    address = await oidc.buildAuthorizationUrl(provider, buildCallbackUrl(deps.base_url, provider), proof)
  } catch (error) {
    // A failure of the provider or of its settings: the browser learns only that it cannot be reached.
    onRefused(provider.id, describeError(error))
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
  await deps.db.withTransaction({ signin: true }, tx => saveAttempt(tx, attempt))
  return address
}

/** Undefined if any check fails. */
export async function finishSso(
  parts: SsoParts,
  provider: Provider,
  query: URLSearchParams,
  visitor: Visitor,
  context: RequestContext,
): Promise<StartedSession | undefined> {
  const { deps, onRefused } = parts
  const { now } = context
  const begun = await takePendingAttempt(parts, provider, query, visitor, now)
  const claims = begun && (await readClaims(parts, provider, query, begun.proof))
  if (!begun || !claims) return undefined
  const person = await findOrCreatePerson(deps, { provider, providers: parts.providers, claims }, context)
  if (!person || person.is_deactivated) {
    onRefused(provider.id, person ? 'the user is deactivated' : 'the mail address is not accepted')
    const reason = 'the person is deactivated'
    if (person) await recordFailure(deps, visitor, { user_id: person.user_id, method: 'sso', reason, now })
    return undefined
  }
  if (person.is_new) await assignMappedRoles(deps, { provider, claims }, person, context)
  const { issuer, subject } = claims
  return deps.db.withTransaction({ signin: true }, async tx => {
    await lockPerson(tx, person.user_id)
    const user_id = await touchIdentity(tx, { issuer, subject, now })
    if (user_id === undefined) return undefined
    return startSession(tx, deps, visitor, { user_id, method: 'sso', next_path: begun.next_path, now })
  })
}

async function takePendingAttempt(
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
  const presented = {
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browser),
    provider: provider.id,
    now,
  }
  const taken = await deps.db.withTransaction({ signin: true }, tx => takeAttempt(tx, presented))
  const opened = taken && deps.sealer.open(PURPOSE, taken.sealed)
  const [nonce, verifier] = opened?.split(' ') ?? []
  if (!taken || nonce === undefined || verifier === undefined) {
    onRefused(provider.id, 'the state is unknown, used, too old or of another browser')
    return undefined
  }
  return { proof: { state, nonce, verifier }, next_path: taken.next_path }
}

async function readClaims(
  { deps, oidc, onRefused }: SsoParts,
  provider: Provider,
  query: URLSearchParams,
  proof: Proof,
): Promise<Claims | undefined> {
  try {
    const answer = new URL(`${buildCallbackUrl(deps.base_url, provider)}?${query}`)
    return await oidc.readClaims(provider, answer, proof)
  } catch (error) {
    // Whatever was wrong with the response, the browser learns only that the sign-in failed.
    onRefused(provider.id, describeError(error))
    return undefined
  }
}

function buildCallbackUrl(base_url: string, { id }: Provider): string {
  return `${base_url}/auth/sso/${encodeURIComponent(id)}/callback`
}
