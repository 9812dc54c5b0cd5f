import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('201', () => {
  it('shows the token once, stores only its hash and records who created it', async () => {
    const expires_at = 4_102_444_800
    const { status, body } = await app.admin.post('/scim-tokens/acme', {
      description: 'directory',
      expires_at,
    })
    expect(status).toBe(201)
    const { id, token, ...rest } = body
    expect(token).toMatch(/^wb_scim_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    expect(rest).toEqual({
      address: 'http://waybill.test/scim/v2/acme',
      description: 'directory',
      created_by: 'ada',
      created_at: app.clock.now().getTime() / 1000,
      expires_at,
      hint: token.slice(0, 20),
      owner: 'ada',
      allowed_addresses: [],
    })
    const listed = await app.admin.get('/scim-tokens/acme')
    const { address: _, ...shown } = rest
    expect(listed.body).toEqual([{ id, ...shown, last_used_at: 0, is_in_force: true }])
    expect(JSON.stringify(await app.sql('select *, secret_hash::text from scim_tokens'))).not.toContain(token)
    const [event] = await app.readEvents('scim_token_created')
    expect(event).toMatchObject({
      actor: 'ada',
      data: { token_id: id, description: 'directory', expires_at },
    })
    expect(JSON.stringify(await app.readEvents())).not.toContain(token)
    await app.admin.delete(`/scim-tokens/acme/${id}`)
  })
})

describe('200', () => {
  it('revokes, and the token is gone from the list', async () => {
    const { body } = await app.admin.post('/scim-tokens/acme', { description: 'old' })
    const answer = await app.admin.delete(`/scim-tokens/acme/${body.id}`)
    expect([answer.status, answer.body]).toEqual([200, 'revoked'])
    expect((await app.admin.get('/scim-tokens/acme')).body).toEqual([])
    const [event] = (await app.readEvents('scim_token_revoked')).slice(-1)
    expect(event).toMatchObject({ actor: 'ada', data: { token_id: body.id, description: 'old' } })
    const again = await app.admin.delete(`/scim-tokens/acme/${body.id}`)
    expect([again.status, again.body]).toEqual([404, { message: 'SCIM token not found' }])
  })
})

describe('adopting', () => {
  it('makes the admin its owner, and is refused to others', async () => {
    const { body } = await app.admin.post('/scim-tokens/acme', { description: 'orphan' })
    const adopt = (client = app.admin) => client.put(`/scim-tokens/acme/${body.id}/adopt`, {})
    expect((await adopt(app.member)).status).toBe(403)
    const { status, body: adopted } = await adopt()
    expect([status, adopted.owner, adopted.is_in_force]).toEqual([200, 'ada', true])
    await app.admin.delete(`/scim-tokens/acme/${body.id}`)
    expect((await adopt()).status).toBe(404)
  })
})

describe('400', () => {
  it.each([
    [{}, 'description'],
    [{ description: '' }, 'description'],
    [{ description: 'x'.repeat(257) }, 'description'],
    [{ description: 'x', expires_at: 1 }, 'expires_at'],
    [{ description: 'x', expires_at: 4_102_444_801 }, 'expires_at'],
  ])('refuses %j', async (body, field) => {
    const answer = await app.admin.post('/scim-tokens/acme', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toHaveProperty([field])
  })

  it('refuses a personal org, which has no members to provision', async () => {
    const answer = await app.admin.post('/scim-tokens/ada', { description: 'x' })
    expect(answer.status).toBe(400)
  })
})

describe('403', () => {
  it('shows tokens to admins only', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.get('/scim-tokens/acme')).status).toBe(403)
    }
  })
})

describe('404', () => {
  it.each(['x', '01970000-0000-7000-8000-00000000'])('for the unknown token %s', async id => {
    expect((await app.admin.delete(`/scim-tokens/acme/${id}`)).status).toBe(404)
  })

  it('for a token of another org', async () => {
    const { body } = await app.outsider.post('/scim-tokens/other-corp', { description: 'x' })
    expect((await app.admin.delete(`/scim-tokens/acme/${body.id}`)).status).toBe(404)
    expect((await app.outsider.get('/scim-tokens/other-corp')).body).toHaveLength(1)
  })
})

describe('409', () => {
  it('for a retry, which creates nothing', async () => {
    const post = (description: string) =>
      app.admin.call('POST', '/scim-tokens/acme', { description }, { 'idempotency-key': 'once' })
    const first = await post('idp')
    expect(first.status).toBe(201)
    const retries = await Promise.all(Array.from({ length: 4 }, () => post('idp')))
    for (const retry of retries) expect(retry.status).toBe(409)
    expect((await post('other')).status).toBe(422)
    expect((await app.admin.get('/scim-tokens/acme')).body).toHaveLength(1)
  })

  it('tells a retry that the token has expired', async () => {
    const expires_at = app.clock.now().getTime() / 1000 + 60
    const post = () =>
      app.admin.call(
        'POST',
        '/scim-tokens/acme',
        { description: 'short', expires_at },
        { 'idempotency-key': 'late' },
      )
    expect((await post()).status).toBe(201)
    app.clock.advance(60_000)
    expect((await post()).status).toBe(409)
  })

  it('allows ten active tokens, even for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => app.admin.post('/scim-tokens/acme', { description: 'x' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    for (const { status } of answers) expect([201, 409]).toContain(status)
    const [{ id }] = (await app.admin.get('/scim-tokens/acme')).body
    await app.admin.delete(`/scim-tokens/acme/${id}`)
    expect((await app.admin.post('/scim-tokens/acme', { description: 'x' })).status).toBe(201)
  })
})
