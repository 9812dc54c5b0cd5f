// Trust rules with their own keys, for issuers that the service cannot reach.
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeSigningKey, type SigningKey, signToken, startIssuer } from '../../../test/ci-issuer.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeStatementLog } from '../../../test/statement-log.ts'

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const SUB = 'system:serviceaccount:waybill:reporter'
const REFUSED = { message: 'The token is not accepted' }

let app: TestApp
let key: SigningKey
let other: SigningKey
beforeAll(async () => {
  app = await startTestApp()
  key = await makeSigningKey('cluster-1', 'ES256')
  other = await makeSigningKey('cluster-2', 'EdDSA')
  await create('cluster')
})
afterAll(() => app.stop())

const buildRule = (more: Record<string, unknown> = {}) => ({
  issuer: CLUSTER,
  issuer_kind: 'kubernetes',
  claims: { sub: SUB },
  privilege: 'snapshotter',
  jwks: { keys: [key.public_jwk] },
  ...more,
})
const create = (name: string, more: Record<string, unknown> = {}, client = app.admin, org = 'acme') =>
  client.post(`/trust-rules/${org}`, { name, ...buildRule(more) })

let tokens = 0
function sign(claims: Record<string, unknown> = {}, by = key): Promise<string> {
  const iat = Math.floor(app.clock.now().getTime() / 1000)
  const times = { iat, exp: iat + 600, jti: `token-${++tokens}` }
  const payload = { iss: CLUSTER, aud: [`${BASE_URL}/acme`], sub: SUB, ...times, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: by.alg, kid: by.kid }).sign(by.private_key)
}
const exchange = (token: string, org = 'acme') => app.anonymous.post(`/keyless/${org}/exchange`, { token })

describe('a rule with its own keys', () => {
  it('gives a key for a token that they signed, once, and records how', async () => {
    const token = await sign()
    const given = await exchange(token)
    expect([given.status, given.body.rule, given.body.privilege]).toEqual([201, 'cluster', 'snapshotter'])
    expect((await app.readEvents('ci_key_issued')).at(-1)?.data).toMatchObject({
      issuer: CLUSTER,
      issuer_kind: 'kubernetes',
      keys: 'of_the_rule',
      subject: SUB,
      repository: null,
    })
    expect((await exchange(token)).body).toEqual(REFUSED)
    const twice = await sign()
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(twice)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('shows the keys as they were given, and records them', async () => {
    const { body } = await app.admin.get('/trust-rules/acme/cluster')
    expect(body).toMatchObject({ issuer_kind: 'kubernetes', jwks: { keys: [key.public_jwk] } })
    const [event] = await app.readEvents('trust_rule_created')
    expect(event?.data).toMatchObject({ after: { jwks: { keys: [key.public_jwk] } } })
  })

  it('trusts no others: not for another issuer, subject or audience, and not a key that has their id', async () => {
    const impostor = await makeSigningKey(key.kid, key.alg)
    for (const token of [
      await sign({}, other),
      await sign({}, impostor),
      await sign({ iss: `${CLUSTER}/` }),
      await sign({ sub: `${SUB}-2` }),
      await sign({ aud: [`${BASE_URL}/other-corp`] }),
      await sign({ aud: ['https://kubernetes.default.svc'] }),
      (await sign()).replace(/[^.]+$/, ''),
    ])
      expect((await exchange(token)).body).toEqual(REFUSED)
  })

  it('counts in its own organization only', async () => {
    const aud = [`${BASE_URL}/other-corp`]
    expect((await exchange(await sign({ aud }), 'other-corp')).body).toEqual(REFUSED)
    const made = await create(
      'theirs',
      { jwks: { keys: [{ ...other.public_jwk, kid: key.kid }] } },
      app.outsider,
      'other-corp',
    )
    expect(made.status).toBe(201)
    const theirs = { ...other, kid: key.kid }
    expect((await exchange(await sign({ aud }), 'other-corp')).body).toEqual(REFUSED)
    expect((await exchange(await sign({}, theirs))).body).toEqual(REFUSED)
    expect((await exchange(await sign({ aud }, theirs), 'other-corp')).status).toBe(201)
  })

  it('makes no difference to who may not know it: same statements, same signatures to verify', async () => {
    const verify = vi.spyOn(globalThis.crypto.subtle, 'verify')
    const observe = async (token: string, org: string) => {
      const verified = verify.mock.calls.length
      const { statements, waits, during } = makeStatementLog()
      const { status, body } = await during(() => exchange(token, org))
      return { status, body, statements, waits, verified: verify.mock.calls.length - verified }
    }
    const strange = await makeSigningKey('strange', 'ES256')
    // The organization has rules for the issuer, with the key and without it; it has none; it does not exist.
    const known = await observe(await sign({}, { ...strange, kid: key.kid }), 'acme')
    expect([known.status, known.body, known.verified]).toEqual([401, REFUSED, 1])
    expect(await observe(await sign({}, strange), 'acme')).toEqual(known)
    expect(await observe(await sign({}, strange), 'max')).toEqual(known)
    expect(await observe(await sign({}, strange), 'no-such-org')).toEqual(known)
    expect(await observe(await sign({ iss: 'https://none.example' }, strange), 'acme')).toEqual(known)
    // An algorithm that the key of that id does not have.
    const other_alg = await makeSigningKey(key.kid, 'RS256')
    expect(await observe(await sign({}, other_alg), 'acme')).toEqual(known)
    expect(await observe(await sign({}, other), 'no-such-org')).toEqual(known)
    verify.mockRestore()
  })

  it('is tried beside others of its issuer, each with its own keys', async () => {
    const second = { keys: [other.public_jwk] }
    await create('a-second-cluster', { claims: { sub: 'system:serviceaccount:second:robot' }, jwks: second })
    const sub = 'system:serviceaccount:second:robot'
    expect((await exchange(await sign({ sub }, other))).body.rule).toBe('a-second-cluster')
    expect((await exchange(await sign({ sub }))).body).toEqual(REFUSED)
    expect((await exchange(await sign({}, other))).body).toEqual(REFUSED)
  })

  it('gets new keys by PUT, and no longer trusts the old ones', async () => {
    await create('rotating', { claims: { sub: 'system:serviceaccount:a:rotating' } })
    const sub = 'system:serviceaccount:a:rotating'
    const replace = (jwks: unknown) =>
      app.admin.put('/trust-rules/acme/rotating', buildRule({ claims: { sub }, jwks }))
    expect((await replace({ keys: [key.public_jwk, other.public_jwk] })).status).toBe(200)
    for (const by of [key, other]) expect((await exchange(await sign({ sub }, by))).status).toBe(201)
    expect((await replace({ keys: [other.public_jwk] })).body.jwks).toEqual({ keys: [other.public_jwk] })
    expect((await exchange(await sign({ sub }, key))).body).toEqual(REFUSED)
    expect((await exchange(await sign({ sub }, other))).status).toBe(201)
    const data = (await app.readEvents('trust_rule_changed')).at(-1)?.data
    expect(data).toMatchObject({
      before: { jwks: { keys: [{ kid: key.kid }, { kid: other.kid }] } },
      after: { jwks: { keys: [{ kid: other.kid }] } },
    })
    expect((await replace(null)).body.errors).toEqual({ issuer: expect.stringMatching(/^Input should be /) })
  })

  it('gives no key once the operator allows its issuer, whose keys are fetched then', async () => {
    const issuer = await startIssuer()
    const allowing = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url } })
    await allowing.admin.post('/trust-rules/acme', { name: 'cluster', ...buildRule() })
    await allowing.sql('update trust_rules set issuer = $1', [issuer.url])
    const claims = { iss: issuer.url, sub: SUB }
    for (const token of [await sign(claims), await signToken(allowing, issuer, claims)]) {
      const { status } = await allowing.anonymous.post('/keyless/acme/exchange', { token })
      expect(status).toBe(401)
    }
    await allowing.sql('update trust_rules set jwks = null')
    const token = await signToken(allowing, issuer, claims)
    expect((await allowing.anonymous.post('/keyless/acme/exchange', { token })).status).toBe(201)
    await allowing.stop()
    await issuer.stop()
  })
})

describe('400', () => {
  it.each<[string, () => Record<string, unknown>, Record<string, unknown>]>([
    [
      'a private key',
      () => ({ jwks: { keys: [{ ...key.public_jwk, d: 'AQAB' }] } }),
      { 'jwks.keys[0]': expect.stringMatching(/^This is a private key/) },
    ],
    [
      'a symmetric key',
      () => ({ jwks: { keys: [key.public_jwk, { kty: 'oct', k: 'AQAB', kid: 'x' }] } }),
      { 'jwks.keys[1]': expect.stringMatching(/^This is a symmetric key/) },
    ],
    [
      'a point beside the curve',
      () => ({ jwks: { keys: [{ ...key.public_jwk, y: key.public_jwk.x }] } }),
      { 'jwks.keys[0]': 'The numbers of this key do not make a public key' },
    ],
    [
      'keys in the name of a public CI system',
      () => ({
        issuer: 'https://agent.buildkite.com',
        issuer_kind: 'buildkite',
        claims: { pipeline_id: BUILDKITE },
      }),
      { jwks: 'This issuer publishes its keys; ask the operator to allow it, and omit jwks' },
    ],
    [
      'keys for an issuer that the operator allows',
      () => ({ issuer: 'https://gitlab.com', issuer_kind: 'gitlab', claims: { project_id: '1' } }),
      { jwks: 'The keys of this issuer are fetched; omit jwks' },
    ],
    ...[
      'http://cluster.example',
      'cluster',
      'https://a@cluster.example',
      'https://cluster.example/?a',
      'https://cluster.example/#a',
      ' https://cluster.example',
      'https://Cluster.example',
      'https://AGENT.buildkite.com',
      'https://agent.buildkite.com:443',
      'https://agent.buildkite.com.',
      'https://аgent.buildkite.com',
      'https:\\\\agent.buildkite.com',
      'https://cluster.example/a/../b',
    ].map(
      issuer =>
        [
          `the issuer ${issuer}`,
          () => ({ issuer }),
          { issuer: 'Input should be an https:// address in its usual form, as the tokens have it' },
        ] as [string, () => Record<string, unknown>, Record<string, unknown>],
    ),
    ...['https://gitlab.com/acme', 'https://login.microsoftonline.com/t/v2.0'].map(
      issuer =>
        [
          `keys in the name of ${issuer}`,
          () => ({ issuer, issuer_kind: undefined, claims: { project_id: '1' } }),
          { jwks: 'This issuer publishes its keys; ask the operator to allow it, and omit jwks' },
        ] as [string, () => Record<string, unknown>, Record<string, unknown>],
    ),
    [
      'keys for an allowed issuer with a slash',
      () => ({ issuer: 'https://gitlab.com/', issuer_kind: 'gitlab', claims: { project_id: '1' } }),
      { jwks: 'The keys of this issuer are fetched; omit jwks' },
    ],
    ['no keys, for an issuer that is not allowed', () => ({ jwks: null }), { issuer: expect.any(String) }],
  ])('%s', async (_what, rule, errors) => {
    const { status, body } = await create('refused', rule())
    expect([status, body.errors]).toEqual([400, errors])
    expect(JSON.stringify(body)).not.toContain('AQAB')
  })
})

const BUILDKITE = '0184990a-477b-4fa8-9968-496074483cee'
