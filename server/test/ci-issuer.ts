// A local issuer of CI tokens: a discovery document, a key set and real signatures. A test can replace its responses
// with slow, wrong or missing ones.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Contract } from '../src/api/operation.ts'
import type { Clock } from '../src/lib/clock.ts'
import { BASE_URL, ORG, type TestApp } from './harness.ts'

export interface SigningKey {
  kid: string
  alg: string
  private_key: CryptoKey
  public_jwk: JWK
}

export interface CiIssuer {
  url: string
  /** The first one signs. */
  keys: SigningKey[]
  /** The paths requested so far. */
  requests: string[]
  /** Replaces the documents in the next responses. */
  misbehave:
    | ((path: string) => { status: number; headers?: Record<string, string>; body: string })
    | undefined
  stop(): Promise<void>
}

export async function makeSigningKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await takeKeyPair(alg)
  const public_jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return { kid, alg, private_key: privateKey, public_jwk }
}

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>
const KEY_PAIRS = 8
const keyPairs = new Map<string, Promise<KeyPair>>()
let pairs_taken = 0

/** Differs from the previous seven. RSA keys are slow to generate, and no test needs more at once. */
function takeKeyPair(alg: string): Promise<KeyPair> {
  const place = `${alg} ${pairs_taken++ % KEY_PAIRS}`
  const made = keyPairs.get(place) ?? generateKeyPair(alg, { extractable: true })
  keyPairs.set(place, made)
  return made
}

export async function startIssuer(port = 0): Promise<CiIssuer> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    issuer.requests.push(path)
    const answer = issuer.misbehave?.(path) ?? { status: 200, body: buildDocument(issuer, path) }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const issuer: CiIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [await makeSigningKey('first')],
    requests: [],
    misbehave: undefined,
    stop: () => close(server),
  }
  return issuer
}

function buildDocument(issuer: CiIssuer, path: string): string {
  if (path === '/.well-known/openid-configuration') {
    return JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` })
  }
  return path === '/keys' ? JSON.stringify({ keys: issuer.keys.map(({ public_jwk }) => public_jwk) }) : '{}'
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>(resolve => server.close(() => resolve()))
}

/** The claims of a job in the two families of CI systems. */
export const ACTIONS_JOB = {
  sub: 'repo:acme/backend:ref:refs/heads/main',
  repository: 'acme/backend',
  repository_id: '74',
  ref: 'refs/heads/main',
  workflow_ref: 'acme/backend/.github/workflows/build.yml@refs/heads/main',
}
export const PIPELINE_JOB = {
  sub: 'project_path:acme/backend:ref_type:branch:ref:main',
  project_path: 'acme/backend',
  project_id: '22',
  ref: 'main',
  ref_protected: 'true',
}

let jobs = 0

/** A token for a job that starts now. `claims` overrides the defaults; undefined removes a claim. */
export function signToken(
  { clock }: { clock: Pick<Clock, 'now'> },
  issuer: CiIssuer,
  claims: Record<string, unknown> = {},
  by: SigningKey | undefined = issuer.keys[0],
): Promise<string> {
  if (!by) throw new Error('the issuer has no key')
  const now_s = Math.floor(clock.now().getTime() / 1000)
  const payload = {
    iss: issuer.url,
    aud: `${BASE_URL}/${ORG}`,
    iat: now_s,
    nbf: now_s,
    exp: now_s + 300,
    jti: `job-${++jobs}`,
    ...ACTIONS_JOB,
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: by.alg, kid: by.kid, typ: 'JWT' })
    .sign(by.private_key)
}

/**
 * For the test of every operation: operations whose example cannot succeed, because it would need a freshly signed
 * token. They answer 401 there and succeed in api/keyless/exchange.test.ts.
 */
export const NEEDS_A_SIGNED_TOKEN: ReadonlySet<string> = new Set(['exchangeToken'])

/** For the test of every operation: the rule that the operation works on. */
export async function prepareTrustRule(
  contract: Contract,
  where: TestApp,
  description: string,
): Promise<void> {
  const name = contract.path.startsWith('/trust-rules/') ? contract.example?.params?.name : undefined
  if (name === undefined) return
  const issuer = 'https://token.actions.githubusercontent.com'
  const rule = { name, description, issuer, claims: { repository_id: '74' }, privilege: 'member' }
  await where.admin.post(`/trust-rules/${ORG}`, rule)
}

/** For the test of every table: a rule and a key that it issued. */
export async function fillKeyless(app: TestApp, org: string): Promise<void> {
  await app.sql(
    `with rule as (
       insert into trust_rules (org_id, rule_id, name, description, issuer, audience, claims, privilege, created_by,
                                created_at, last_modified_at)
       select org_id, gen_random_uuid(), 'rule', '', 'https://ci.example', 'x', '{}', 'reader', 'x', now(), now()
       from orgs where name = $1
       returning org_id, rule_id
     )
     insert into ci_keys (org_id, key_id, rule_id, secret_hash, subject, token_hash, created_at, expires_at)
     select org_id, gen_random_uuid(), rule_id, decode(md5($1 || 'ci'), 'hex'), '', decode(md5($1), 'hex'), now(), now()
     from rule`,
    [org],
  )
}
