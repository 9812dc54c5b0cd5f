import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'

const ISSUER = 'https://token.actions.githubusercontent.com'
const RULE = { issuer: ISSUER, claims: { repository_id: '74' }, privilege: 'member' }
const GITHUB = { issuer_kind: 'github', jwks: null }
const noRule = (name: string) => ({
  message: `Trust rule named '${name}' does not exist for organization 'acme'`,
})

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'f', description: '' })
})
afterAll(() => app.stop())

const create = (name: string, rule: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  app.admin.call('POST', '/trust-rules/acme', { name, ...RULE, ...rule }, headers)
const findLastEvent = async (kind: string) => (await app.readEvents(kind)).at(-1)

describe('201', () => {
  it('returns the rule with its defaults, and records it', async () => {
    const { status, body } = await create('plain')
    const now = app.clock.now().getTime() / 1000
    expect(status).toBe(201)
    expect(body).toEqual({
      org: 'acme',
      name: 'plain',
      description: '',
      ...RULE,
      issuer_kind: 'github',
      jwks: null,
      audience: `${BASE_URL}/acme`,
      operations: ['read', 'report', 'attest'],
      flow_name: null,
      created_by: 'ada',
      created_at: now,
      last_modified_at: now,
      last_used_at: null,
    })
    expect((await app.admin.get('/trust-rules/acme/plain')).body).toEqual(body)
    const operations = ['read', 'report', 'attest']
    const audience = `${BASE_URL}/acme`
    const after = { description: '', ...RULE, ...GITHUB, audience, operations, flow_name: null }
    const data = { rule_name: 'plain', before: null, after }
    expect(await findLastEvent('trust_rule_created')).toEqual({
      kind: 'trust_rule_created',
      actor: 'ada',
      data,
    })
  })

  it('resolves a flow by a former name', async () => {
    await app.member.put('/flows/acme', { name: 'old', description: '' })
    await app.member.put('/flows/acme/old/rename', { new_name: 'new' })
    expect((await create('former', { flow_name: 'old', audience: 'mine' })).body).toMatchObject({
      flow_name: 'new',
      audience: 'mine',
    })
  })

  it('is stored once under an Idempotency-Key', async () => {
    const named = { 'idempotency-key': 'once' }
    const first = await create('once', {}, named)
    const retries = await Promise.all(Array.from({ length: 8 }, () => create('once', {}, named)))
    for (const retry of retries) expect([retry.status, retry.text]).toEqual([201, first.text])
    expect((await create('twice', {}, named)).status).toBe(422)
    const recorded = (await app.readEvents('trust_rule_created')).filter(
      ({ data }) => data.rule_name === 'once',
    )
    expect(recorded).toHaveLength(1)
  })
})

describe('200', () => {
  it('lists by name', async () => {
    await create('zeta')
    await create('Alpha')
    const { body } = await app.admin.get('/trust-rules/acme')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...names].sort())
    expect(names).toContain('Alpha')
    expect((await app.outsider.get('/trust-rules/other-corp')).body).toEqual([])
  })

  it('replaces the whole rule, and records before and after', async () => {
    await create('changing', { description: 'first', flow_name: 'f', audience: 'mine' })
    app.clock.advance(1000)
    const sent = { ...RULE, claims: { project_id: '22', ref: 'v*' }, issuer: 'https://gitlab.com' }
    const { status, body } = await app.admin.put('/trust-rules/acme/changing', sent)
    expect(status).toBe(200)
    const operations = ['read', 'report', 'attest']
    const audience = `${BASE_URL}/acme`
    const kind = { issuer_kind: 'gitlab', jwks: null }
    const after = { description: '', ...sent, ...kind, audience, operations, flow_name: null }
    expect(body).toMatchObject({ ...after, last_modified_at: app.clock.now().getTime() / 1000 })
    const before = { description: 'first', ...RULE, ...GITHUB, audience: 'mine', operations, flow_name: 'f' }
    expect((await findLastEvent('trust_rule_changed'))?.data).toEqual({
      rule_name: 'changing',
      before,
      after,
    })
    const recorded = (await app.readEvents('trust_rule_changed')).length
    expect((await app.admin.put('/trust-rules/acme/changing', sent)).body).toEqual(body)
    expect(await app.readEvents('trust_rule_changed')).toHaveLength(recorded)
  })

  it('deletes a rule and frees its name', async () => {
    await create('leaving')
    expect((await app.admin.delete('/trust-rules/acme/leaving')).body).toBe('OK')
    expect((await findLastEvent('trust_rule_deleted'))?.data).toMatchObject({
      rule_name: 'leaving',
      after: null,
    })
    expect((await app.admin.delete('/trust-rules/acme/leaving')).body).toEqual(noRule('leaving'))
    expect((await create('leaving')).status).toBe(201)
  })
})

describe('400', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    [
      'an issuer that the operator does not allow',
      { issuer: 'http://169.254.169.254' },
      { issuer: `Input should be '${ISSUER}' or 'https://gitlab.com'` },
    ],
    [
      'a repository by name',
      { claims: { repository: 'acme/backend' } },
      { claims: 'A rule for GitHub Actions must pin one by the claim repository_id' },
    ],
    [
      'a wildcard for repositories',
      { claims: { repository_id: '7*' } },
      { 'claims.repository_id': 'Input should be the number of the repository' },
    ],
    [
      'a subject of an issuer that has a better pin',
      { issuer_kind: 'generic', claims: { sub: 'repo:acme/backend:ref:refs/heads/main' } },
      { issuer_kind: 'The issuer is of the kind github' },
    ],
  ])('%s', async (_what, rule, errors) => {
    for (const { status, body } of [
      await create('refused', rule),
      await app.admin.put('/trust-rules/acme/plain', { ...RULE, ...rule }),
    ]) {
      expect(status).toBe(400)
      expect(body.errors).toEqual(errors)
    }
  })

  it.each([
    { privilege: 'admin' },
    { name: '-x' },
    { audience: '' },
    { claims: { repository_id: 74 } },
    { claims: { repository_id: '74', __proto__x: 'y' } },
    { issuer_kind: 'tekton' },
    { issuer_kind: null },
    { jwks: {} },
    { jwks: { keys: [] } },
    { jwks: { keys: 'x' } },
    { jwks: { keys: ['x'] } },
    { jwks: { keys: Array(11).fill({ kty: 'RSA' }) } },
    { jwks: { keys: [{ kty: 'RSA' }], uri: 'https://ci.example/keys' } },
    { jwks: 'https://ci.example/keys' },
  ])('a shape like %j', async rule => expect((await create('shape', rule)).status).toBe(400))

  it('any issuer if the operator allows none', async () => {
    const closed = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: 'off' } })
    const { body } = await closed.admin.post('/trust-rules/acme', { name: 'r', ...RULE })
    expect(body.errors).toEqual({ issuer: 'No issuer is allowed here; ask the operator to configure one' })
    await closed.stop()
  })
})

describe('403', () => {
  it('refuses everyone but admins', async () => {
    await create('guarded')
    const path = '/trust-rules/acme/guarded'
    for (const client of [app.member, app.snapshotter, app.reader]) {
      for (const { status } of [
        await client.get('/trust-rules/acme'),
        await client.get(path),
        await client.post('/trust-rules/acme', { name: 'mine', ...RULE }),
        await client.put(path, { ...RULE, description: 'mine' }),
        await client.delete(path),
      ]) {
        expect(status).toBe(403)
      }
    }
    expect((await app.admin.get(path)).body.description).toBe('')
  })
})

describe('404', () => {
  it('names an unknown rule', async () => {
    expect((await app.admin.get('/trust-rules/acme/none')).body).toEqual(noRule('none'))
    expect((await app.admin.put('/trust-rules/acme/none', RULE)).body).toEqual(noRule('none'))
  })

  it('names an unknown flow', async () => {
    const { status, body } = await create('flowless', { flow_name: 'none' })
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'none' does not exist for organization 'acme'" })
  })
})

describe('409', () => {
  it('refuses a name that is taken, even by a concurrent request', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('race')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect((await create('race')).body).toEqual({
      message: "A trust rule named 'race' already exists in organization 'acme'",
    })
  })
})
