import { createHmac } from 'node:crypto'
import { base64url, type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ACTIONS_JOB,
  type CiIssuer,
  makeSigningKey,
  PIPELINE_JOB,
  signToken,
  startIssuer,
} from '../../../test/ci-issuer.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { ODD_HEADERS, signRaw } from '../../../test/raw-jwt.ts'
import { makeStatementLog } from '../../../test/statement-log.ts'
import { freezeOrg, markMoved, thawOrg } from '../../admin/freeze.ts'
import { makeIds } from '../../lib/ids.ts'

const REFUSED = { message: 'The token is not accepted' }
const MINUTE = 60_000

let app: TestApp
let actions: CiIssuer
let pipelines: CiIssuer
beforeAll(async () => {
  actions = await startIssuer()
  pipelines = await startIssuer()
  pipelines.keys = [await makeSigningKey('elliptic', 'ES256'), await makeSigningKey('edwards', 'EdDSA')]
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: `${actions.url},${pipelines.url}` } })
  for (const name of ['bound', 'free']) await app.member.put('/flows/acme', { name, description: '' })
  await createRule('m-actions', { issuer: actions.url, claims: { repository_id: '74', ref: 'refs/heads/*' } })
  await createRule('n-pipelines', {
    issuer: pipelines.url,
    claims: { project_id: '22' },
    privilege: 'snapshotter',
  })
  await createRule('bound', { issuer: actions.url, claims: { repository_id: '80' }, flow_name: 'bound' })
})
afterAll(async () => {
  await app.stop()
  await actions.stop()
  await pipelines.stop()
})

async function createRule(name: string, rule: Record<string, unknown>, client = app.admin, org = 'acme') {
  const made = await client.post(`/trust-rules/${org}`, { name, privilege: 'member', ...rule })
  expect(made.status).toBe(201)
}

const exchange = (token: string, org = 'acme') => app.anonymous.post(`/keyless/${org}/exchange`, { token })
const token = (claims: Record<string, unknown> = {}, issuer = actions) => signToken(app, issuer, claims)
const countKeys = () => app.sql('select count(*)::int as keys from ci_keys')

describe('201', () => {
  it('gives a job of the first kind of CI system a key, and records an event', async () => {
    const given = await exchange(await token())
    expect(given.status).toBe(201)
    const expires_at = app.clock.now().getTime() / 1000 + 900
    const { key, ...rest } = given.body
    expect(key).toMatch(/^wb_ci_/)
    const operations = ['read', 'report', 'attest']
    expect(rest).toEqual({ expires_at, rule: 'm-actions', privilege: 'member', operations, flow_name: null })
    expect((await app.makeClientWith(key).put('/trails/acme/free', { name: 'made' })).status).toBe(201)
    expect((await app.readEvents('trail_reported')).at(-1)?.actor).toBe('ci:m-actions')
    expect((await app.readEvents('ci_key_issued')).at(-1)).toEqual({
      kind: 'ci_key_issued',
      actor: 'ci:m-actions',
      data: {
        rule_name: 'm-actions',
        issuer: actions.url,
        subject: ACTIONS_JOB.sub,
        issuer_kind: 'github',
        keys: 'published',
        repository: { repository_id: '74' },
        privilege: 'member',
        operations,
        flow_name: null,
        hint: key.slice(0, key.lastIndexOf('_')),
        expires_at,
      },
    })
    const { body } = await app.admin.get('/trust-rules/acme/m-actions')
    expect(body.last_used_at).toBe(app.clock.now().getTime() / 1000)
  })

  it.each([0, 1])('gives a job of the second kind of CI system a key, with any signing key (%i)', async i => {
    const signed = await signToken(app, pipelines, PIPELINE_JOB, pipelines.keys[i])
    const given = await exchange(signed)
    expect(given.status).toBe(201)
    expect(given.body).toMatchObject({ rule: 'n-pipelines', privilege: 'snapshotter' })
    const client = app.makeClientWith(given.body.key)
    expect((await client.get('/flows/acme')).status).toBe(200)
    expect((await client.put('/flows/acme', { name: 'no', description: '' })).status).toBe(403)
  })

  it('stores only the hashes of key and token', async () => {
    const signed = await token()
    const { key } = (await exchange(signed)).body
    const rows =
      JSON.stringify(await app.sql('select * from ci_keys')) + JSON.stringify(await app.readEvents())
    expect(rows).not.toContain(key)
    expect(rows).not.toContain(signed)
    expect(rows).not.toContain(signed.split('.')[2])
  })

  it('uses the first matching rule, by name', async () => {
    await createRule('a-first', {
      issuer: actions.url,
      claims: { repository_id: '90', ref: 'refs/heads/main' },
      privilege: 'reader',
    })
    await createRule('z-last', { issuer: actions.url, claims: { repository_id: '90' } })
    const exchangeFor = async (ref: string) =>
      (await exchange(await token({ repository_id: '90', ref }))).body.rule
    expect([await exchangeFor('refs/heads/main'), await exchangeFor('refs/heads/x')]).toEqual([
      'a-first',
      'z-last',
    ])
  })
})

describe('401 with the same sentence for', () => {
  const forgeToken = async (header: object, claims: object, secret?: string) => {
    const [, payload] = (await token(claims as Record<string, unknown>)).split('.')
    const input = `${base64url.encode(JSON.stringify(header))}.${payload}`
    const mac = secret === undefined ? '' : createHmac('sha256', secret).update(input).digest('base64url')
    return `${input}.${mac}`
  }
  /** Only the header, or a claim more, makes it unacceptable. */
  const signOdd = async (header: string, claim?: string) => {
    const [, payload = ''] = (await token()).split('.')
    const claims = Buffer.from(payload, 'base64url').toString()
    const more = claim === undefined ? claims : `${claims.slice(0, -1)},${claim}}`
    const { kid, private_key } = actions.keys[0] ?? (await makeSigningKey('none'))
    return signRaw(`{"alg":"RS256","kid":"${kid}",${header}}`, more, private_key)
  }
  const exportPublicPem = async () => {
    const key = await importJWK(actions.keys[0]?.public_jwk ?? {}, 'RS256', { extractable: true })
    return exportSPKI(key as CryptoKey)
  }
  const toEpochIn = (offset_s: number) => app.clock.now().getTime() / 1000 + offset_s

  it.each<[string, () => Promise<string>]>([
    ['no token at all', async () => 'the-token-of-the-job'],
    ['nothing', async () => ''],
    ['three dots', async () => '...'],
    [
      'a changed claim',
      async () => {
        const [header, , signature] = (await token()).split('.')
        const [, payload] = (await token({ repository_id: '1' })).split('.')
        return `${header}.${payload}.${signature}`
      },
    ],
    ['a cut signature', async () => (await token()).slice(0, -8)],
    ['a key that says it is theirs', async () => signToken(app, actions, {}, await makeSigningKey('first'))],
    ['a key of another issuer', async () => signToken(app, actions, {}, pipelines.keys[0])],
    [
      'no key id',
      async () => {
        const { private_key } = actions.keys[0] ?? (await makeSigningKey('none'))
        return new SignJWT({ iss: actions.url }).setProtectedHeader({ alg: 'RS256' }).sign(private_key)
      },
    ],
    ['no signature', () => forgeToken({ alg: 'none', kid: 'first' }, {})],
    [
      'the public key as a shared secret',
      async () => forgeToken({ alg: 'HS256', kid: 'first' }, {}, await exportPublicPem()),
    ],
    ...ODD_HEADERS.map(([what, header]) => [what, () => signOdd(header)] as [string, () => Promise<string>]),
    ['a claim twice', () => signOdd('"typ":"JWT"', '"repository_id":"74"')],
    ['an encrypted token', async () => `${await token()}.x.y`],
    ['an expired token', () => token({ iat: toEpochIn(-400), nbf: toEpochIn(-400), exp: toEpochIn(-61) })],
    ['a token that is not valid yet', () => token({ nbf: toEpochIn(61) })],
    ['a token from the future', () => token({ iat: toEpochIn(61) })],
    ['a token for two days', () => token({ exp: toEpochIn(2 * 86_400) })],
    ['a token without expiry', () => token({ exp: undefined })],
    ['another audience', () => token({ aud: `${BASE_URL}/other-corp` })],
    ['no audience', () => token({ aud: undefined })],
    ['an issuer without a rule', () => token({ iss: 'https://ci.example' })],
    ['the other issuer’s name', () => token({ iss: pipelines.url })],
    ['another repository', () => token({ repository_id: '75' })],
    ['another branch', () => token({ ref: 'refs/tags/v1' })],
    ['the same repository of another CI system', () => signToken(app, pipelines, ACTIONS_JOB)],
  ])('%s', async (_what, make) => {
    const before = await countKeys()
    const { status, body } = await exchange(await make())
    expect([status, body]).toEqual([401, REFUSED])
    expect(await countKeys()).toEqual(before)
  })

  it('an org that does not exist, that is being deleted, or that has no such rule', async () => {
    const aud = `${BASE_URL}/other-corp`
    expect((await exchange(await token(), 'no-such-org')).body).toEqual(REFUSED)
    expect((await exchange(await token({ aud }), 'other-corp')).body).toEqual(REFUSED)
    await createRule(
      'theirs',
      { issuer: actions.url, claims: { repository_id: '74' } },
      app.outsider,
      'other-corp',
    )
    expect((await exchange(await token(), 'other-corp')).body).toEqual(REFUSED)
    const good = await exchange(await token({ aud }), 'other-corp')
    expect(good.status).toBe(201)
    expect((await app.makeClientWith(good.body.key).get('/flows/acme')).status).toBe(403)
    await app.sql("update orgs set delete_requested_at = $1 where name = 'other-corp'", [app.clock.now()])
    expect((await exchange(await token({ aud }), 'other-corp')).body).toEqual(REFUSED)
    await app.sql("update orgs set delete_requested_at = null where name = 'other-corp'")
  })

  it('an organization that another cell serves', async () => {
    const tools = { owner: app.owner, clock: app.clock, ids: makeIds(app.clock) }
    await freezeOrg(tools, 'other-corp', 'moves')
    await markMoved(tools, 'other-corp', 'B')
    expect((await exchange(await token(), 'other-corp')).body).toEqual(REFUSED)
    await thawOrg(tools, 'other-corp')
  })

  it('an org that does not exist, after the same work as for one without a matching rule', async () => {
    const observe = async (org: string) => {
      const { statements, waits, during } = makeStatementLog()
      const signed = await token({ repository_id: '75', aud: `${BASE_URL}/${org}` })
      const { status, body } = await during(() => exchange(signed, org))
      return { status, body, statements, waits }
    }
    const found = await observe('acme')
    expect(found).toMatchObject({ status: 401, body: REFUSED })
    for (const org of ['other-corp', 'max', 'no-such-org']) expect(await observe(org)).toEqual(found)
  })

  it('a token that was already exchanged', async () => {
    const signed = await token()
    expect((await exchange(signed)).status).toBe(201)
    const again = await exchange(signed)
    expect([again.status, again.body]).toEqual([401, REFUSED])
  })

  it('an exchanged token with its signature encoded differently', async () => {
    const signed = await signToken(app, pipelines, PIPELINE_JOB)
    const [header, payload, signature = ''] = signed.split('.')
    expect((await exchange(signed)).status).toBe(201)
    // The order of the curve: replacing s with n - s gives a second valid signature of the same token.
    const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const bytes = Buffer.from(signature, 'base64url')
    const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const other = Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from((n - s).toString(16).padStart(64, '0'), 'hex'),
    ])
    const twin = `${header}.${payload}.${other.toString('base64url')}`
    expect((await exchange(twin)).body).toEqual(REFUSED)
    const loose = `${header}.${payload}.${signature}=`
    expect((await exchange(loose)).body).toEqual(REFUSED)
  })

  it('all but one of fifty concurrent requests with the same token', async () => {
    const signed = await token()
    const [before] = await countKeys()
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(signed)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49)
    expect((await countKeys())[0]?.keys).toBe(Number(before?.keys) + 1)
  })
})

describe('the key', () => {
  it('of a rule for one flow works for that flow only', async () => {
    const { key, flow_name } = (await exchange(await token({ repository_id: '80' }))).body
    expect(flow_name).toBe('bound')
    const job = app.makeClientWith(key)
    expect((await job.put('/trails/acme/bound', { name: 'run' })).status).toBe(201)
    expect((await job.get('/flows/acme/bound')).status).toBe(200)
    expect((await job.put('/trails/acme/free', { name: 'run' })).status).toBe(403)
    expect((await job.get('/flows/acme/free')).status).toBe(403)
    expect((await job.get('/flows/acme')).status).toBe(403)
    expect((await job.get('/environments/acme')).status).toBe(403)
  })

  it('follows the flow when it is renamed, not another flow that takes its name', async () => {
    await app.member.put('/flows/acme', { name: 'moving', description: '' })
    await createRule('moving', { issuer: actions.url, claims: { repository_id: '81' }, flow_name: 'moving' })
    await app.member.put('/flows/acme/moving/rename', { new_name: 'moved' })
    const rule = () => app.admin.get('/trust-rules/acme/moving')
    expect((await rule()).body.flow_name).toBe('moved')
    await app.member.put('/flows/acme', { name: 'moving', description: 'another' })
    const job = app.makeClientWith((await exchange(await token({ repository_id: '81' }))).body.key)
    expect((await job.get('/flows/acme/moved')).status).toBe(200)
    expect((await job.get('/flows/acme/moving')).status).toBe(403)
    await app.member.put('/flows/acme/moved/archive', null)
    await app.member.put('/flows/acme/moving/rename', { new_name: 'moved' })
    expect((await rule()).body.flow_name).toMatch(/^moved-archived-at-/)
    app.clock.advance(5000)
    expect((await job.get('/flows/acme/moved')).status).toBe(403)
  })

  it('is valid for 15 minutes', async () => {
    const job = app.makeClientWith((await exchange(await token())).body.key)
    app.clock.advance(15 * MINUTE - 1)
    expect((await job.get('/flows/acme')).status).toBe(200)
    app.clock.advance(1)
    expect((await job.get('/flows/acme')).status).toBe(401)
  })

  it('stops working when its rule is deleted', async () => {
    await createRule('short', { issuer: actions.url, claims: { repository_id: '82' } })
    const job = app.makeClientWith((await exchange(await token({ repository_id: '82' }))).body.key)
    expect((await job.get('/flows/acme')).status).toBe(200)
    expect((await app.admin.delete('/trust-rules/acme/short')).body).toBe('OK')
    expect((await job.get('/flows/acme')).status).toBe(401)
    expect((await exchange(await token({ repository_id: '82' }))).body).toEqual(REFUSED)
  })

  it('may do what its rule currently allows', async () => {
    const rule = { issuer: actions.url, claims: { repository_id: '83' } }
    await createRule('narrowed', rule)
    const job = app.makeClientWith((await exchange(await token({ repository_id: '83' }))).body.key)
    await app.admin.put('/flows/acme', { name: 'wide', description: '' })
    const begin = (name: string) => job.put('/trails/acme/wide', { name })
    expect((await begin('one')).status).toBe(201)
    await app.admin.put('/trust-rules/acme/narrowed', { ...rule, privilege: 'reader' })
    expect((await begin('two')).status).toBe(403)
  })
})
