// Creating, reading and revoking keys of service accounts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../../test/harness.ts'

const NO_PERMISSION = { message: "You don't have permission to access this resource" }
const NO_KEY = { message: 'API key not found' }
const NO_ACCOUNT = { message: 'Service account not found' }
const MAX_EXPIRY = 4_102_444_800
const HOUR_MS = 3_600_000
const KEYS = '/service-accounts/acme/robot/api-keys'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.snapshotter.post('/service-accounts/acme', { name: 'robot' })
  await app.admin.post('/service-accounts/acme', { name: 'of-ada' })
})
afterAll(() => app.stop())

const getNow = () => app.clock.now().getTime() / 1000
const createKey = async (body: object = {}, client: Client = app.snapshotter) =>
  (await client.post(KEYS, { description: 'a key', ...body })).body
const readStatus = async (key: string) => (await app.makeClientWith(key).get('/flows/acme')).status
const listIds = async () => (await app.admin.get(KEYS)).body.map(({ id }: { id: string }) => id)

describe('POST', () => {
  it('returns the secret once, and records everything except it', async () => {
    const answer = await app.snapshotter.post(KEYS, { description: 'first', expires_at: MAX_EXPIRY })
    expect(answer.status).toBe(201)
    expect(answer.headers['cache-control']).toBe('no-store')
    const { id, key } = answer.body
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}$/),
      key: expect.stringMatching(/^wb_svc_/),
      description: 'first',
      created_at: getNow(),
      expires_at: MAX_EXPIRY,
    })
    expect(await readStatus(key)).toBe(200)
    const [event] = await app.readEvents('api_key_created')
    const hint = key.slice(0, key.lastIndexOf('_'))
    expect(event).toEqual({
      kind: 'api_key_created',
      actor: 'sam',
      data: { owner: 'robot', key_id: id, hint, description: 'first', expires_at: MAX_EXPIRY },
    })
    const secret = key.slice(key.lastIndexOf('_') + 1)
    for (const path of [KEYS, `${KEYS}/${id}`]) {
      expect((await app.admin.get(path)).text).not.toContain(secret)
    }
    const [stored] = await app.sql(
      `select string_agg(k::text, '') || (select string_agg(e::text, '') from events e) as everything
       from service_account_keys k`,
    )
    expect(stored?.everything).not.toContain(secret)
  })

  it('creates a key that never expires by default', async () => {
    expect((await createKey()).expires_at).toBe(0)
    expect((await createKey({ expires_at: 0 })).expires_at).toBe(0)
  })

  it('creates a key that works until it expires', async () => {
    const { id, key } = await createKey({ expires_at: Math.floor(getNow()) + 3600 })
    app.clock.advance(HOUR_MS - 1000)
    expect(await readStatus(key)).toBe(200)
    app.clock.advance(1000)
    expect(await readStatus(key)).toBe(401)
    expect(await listIds()).not.toContain(id)
    for (const method of ['GET', 'DELETE']) {
      expect((await app.admin.call(method, `${KEYS}/${id}`)).body).toEqual(NO_KEY)
    }
  })

  it.each([
    [{}, 'description'],
    [{ description: '' }, 'description'],
    [{ description: 'x'.repeat(257) }, 'description'],
    [{ description: 'x', expires_at: '4102444800' }, 'expires_at'],
    [{ description: 'x', expires_at: 4_000_000_000.5 }, 'expires_at'],
    [{ description: 'x', expires_at: MAX_EXPIRY + 1 }, 'expires_at'],
    [{ description: 'x', expires_at: -1 }, 'expires_at'],
    [{ description: 'x', expires_at: null }, 'expires_at'],
    [{ description: 'x', expires_at: 1 }, 'expires_at'],
  ])('returns 400 to %j', async (body, field) => {
    const before = await listIds()
    const answer = await app.snapshotter.post(KEYS, body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect(await listIds()).toEqual(before)
  })

  it('refuses the current time as expiry', async () => {
    const expires_at = Math.floor(getNow())
    const { body } = await app.snapshotter.post(KEYS, { description: 'x', expires_at })
    expect(body.errors).toEqual({ expires_at: `Input should be in the future [input: ${expires_at}]` })
  })

  it('returns 409 to a retry with the same key, and 422 to another request', async () => {
    const named = { 'idempotency-key': 'secret-once' }
    const send = (description: string) => app.admin.call('POST', KEYS, { description }, named)
    expect((await send('one')).status).toBe(201)
    const before = await listIds()
    const again = await send('one')
    expect(again.status).toBe(409)
    expect(again.body.message).toContain('was already answered; the secret is shown only once')
    expect((await send('two')).status).toBe(422)
    expect(await listIds()).toEqual(before)
  })

  it('returns 404 without an account', async () => {
    const { status, body } = await app.admin.post('/service-accounts/acme/no/api-keys', { description: 'x' })
    expect([status, body]).toEqual([404, NO_ACCOUNT])
  })
})

describe('GET', () => {
  it('lists the active keys, oldest first, with times as numbers', async () => {
    await app.admin.post('/service-accounts/acme', { name: 'listed' })
    const path = '/service-accounts/acme/listed/api-keys'
    expect((await app.snapshotter.get(path)).body).toEqual([])
    const { body: used } = await app.admin.post(path, { description: 'used' })
    const { body: idle } = await app.admin.post(path, { description: 'idle' })
    await readStatus(used.key)
    await expect.poll(async () => (await app.admin.get(path)).body[0].last_used_at).toBe(getNow())
    const { body } = await app.snapshotter.get(path)
    expect(body).toEqual([
      {
        id: used.id,
        description: 'used',
        created_at: used.created_at,
        expires_at: 0,
        stops_at: 0,
        last_used_at: getNow(),
        last_used_from: '127.0.0.1',
        hint: used.key.slice(0, used.key.lastIndexOf('_')),
        operations: null,
        flows: null,
        environments: null,
        allowed_addresses: [],
      },
      expect.objectContaining({ id: idle.id, last_used_at: 0 }),
    ])
    expect((await app.snapshotter.get(`${path}/${idle.id}`)).body).toEqual(body[1])
  })

  it('returns 404 for keys of other accounts', async () => {
    const { id } = await createKey()
    const paths = [`${KEYS}/nonsense`, `${KEYS}/${id.replaceAll(/[0-9]/g, '0')}`]
    for (const path of [...paths, `/service-accounts/acme/of-ada/api-keys/${id}`]) {
      expect((await app.admin.get(path)).body).toEqual(NO_KEY)
      expect((await app.admin.delete(path)).body).toEqual(NO_KEY)
    }
    for (const path of ['no/api-keys', `no/api-keys/${id}`]) {
      expect((await app.admin.get(`/service-accounts/acme/${path}`)).body).toEqual(NO_ACCOUNT)
    }
  })
})

describe('DELETE', () => {
  it('revokes immediately, once, and records it', async () => {
    const { id, key } = await createKey()
    expect(await readStatus(key)).toBe(200)
    const { status, body } = await app.snapshotter.delete(`${KEYS}/${id}`)
    expect([status, body]).toEqual([200, 'revoked'])
    expect(await readStatus(key)).toBe(401)
    const again = await app.snapshotter.delete(`${KEYS}/${id}`)
    expect([again.status, again.body]).toEqual([404, NO_KEY])
    expect((await app.admin.get(`${KEYS}/${id}`)).body).toEqual(NO_KEY)
    const events = (await app.readEvents('api_key_revoked')).filter(({ data }) => data.key_id === id)
    expect(events).toMatchObject([{ actor: 'sam', data: { owner: 'robot', description: 'a key' } }])
  })

  it('lets one of 32 concurrent requests succeed', async () => {
    const { id } = await createKey()
    const racers = Array.from({ length: 32 }, () => app.admin.delete(`${KEYS}/${id}`))
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(31).fill(404)])
    const events = (await app.readEvents('api_key_revoked')).filter(({ data }) => data.key_id === id)
    expect(events).toHaveLength(1)
  })
})

describe('403', () => {
  it('lets creators and admins manage keys, and nobody else', async () => {
    const { id } = await createKey()
    const attemptAll = (client: Client, path: string) => [
      client.post(path, { description: 'x' }),
      client.post(`${path}/${id}/rotate`, {}),
      client.delete(`${path}/${id}`),
    ]
    const before = await listIds()
    for (const { status, body } of await Promise.all([
      ...attemptAll(app.member, KEYS),
      ...attemptAll(app.reader, KEYS),
      ...attemptAll(app.snapshotter, '/service-accounts/acme/of-ada/api-keys'),
    ])) {
      expect([status, body]).toEqual([403, NO_PERMISSION])
    }
    expect(await listIds()).toEqual(before)
    expect((await app.admin.delete(`${KEYS}/${id}`)).status).toBe(200)
    expect((await app.reader.get(KEYS)).body).toEqual(NO_PERMISSION)
    expect((await app.member.get(KEYS)).status).toBe(200)
  })
})
