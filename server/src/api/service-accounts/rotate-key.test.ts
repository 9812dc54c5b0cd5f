import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const NO_KEY = { message: 'API key not found' }
const HOUR_MS = 3_600_000
const KEYS = '/service-accounts/acme/robot/api-keys'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.post('/service-accounts/acme', { name: 'robot' })
})
afterAll(() => app.stop())

const getNow = () => app.clock.now().getTime() / 1000
const createKey = async (body: object = {}) =>
  (await app.member.post(KEYS, { description: 'turning', ...body })).body
const rotate = (id: string, body: unknown = {}) => app.member.post(`${KEYS}/${id}/rotate`, body)
const readStatus = async (key: string) => (await app.makeClientWith(key).get('/flows/acme')).status
const listKeys = () =>
  app.sql('select key_id, expires_at, replaced_by from service_account_keys order by key_id')

describe('201', () => {
  it('creates a new key, and the old one works until the grace period ends', async () => {
    const old = await createKey()
    expect(await readStatus(old.key)).toBe(200)
    const { status, body } = await rotate(old.id)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^wb_svc_/),
      description: 'turning',
      created_at: getNow(),
      expires_at: 0,
      grace_period_expires_at: getNow() + 24 * 3600,
    })
    expect(body.id).not.toBe(old.id)
    app.clock.advance(24 * HOUR_MS - 1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([200, 200])
    app.clock.advance(1)
    expect([await readStatus(old.key), await readStatus(body.key)]).toEqual([401, 200])
    const listed = (await app.member.get(KEYS)).body.map(({ id }: { id: string }) => id)
    expect(listed).toContain(body.id)
    expect(listed).not.toContain(old.id)
    const [event] = await app.readEvents('api_key_rotated')
    expect(event).toEqual({
      kind: 'api_key_rotated',
      actor: 'max',
      data: {
        owner: 'robot',
        key_id: body.id,
        hint: body.key.slice(0, body.key.lastIndexOf('_')),
        description: 'turning',
        expires_at: 0,
        replaced_key_id: old.id,
        replaced_hint: old.key.slice(0, old.key.lastIndexOf('_')),
        grace_period_expires_at: body.grace_period_expires_at,
      },
    })
    for (const key of [old.key, body.key]) expect(JSON.stringify(event)).not.toContain(key)
  })

  it('inherits the expiry unless another is given, and never extends the old key', async () => {
    const expires_at = Math.floor(getNow()) + 7200
    const first = await createKey({ expires_at })
    const inherited = (await rotate(first.id, { grace_period_hours: 720 })).body
    expect(inherited).toMatchObject({ expires_at, grace_period_expires_at: expires_at })
    const another = (await rotate(inherited.id, { grace_period_hours: 1, expires_at: expires_at + 1 })).body
    expect(another).toMatchObject({ expires_at: expires_at + 1, grace_period_expires_at: getNow() + 3600 })
    expect((await rotate(another.id, { expires_at: 0 })).body.expires_at).toBe(0)
  })

  it('ends the grace period immediately if the old key is revoked', async () => {
    const old = await createKey()
    await rotate(old.id)
    expect((await app.member.delete(`${KEYS}/${old.id}`)).status).toBe(200)
    expect(await readStatus(old.key)).toBe(401)
  })
})

describe('400', () => {
  it.each([
    [{ grace_period_hours: 0 }, 'grace_period_hours'],
    [{ grace_period_hours: 721 }, 'grace_period_hours'],
    [{ grace_period_hours: 1.5 }, 'grace_period_hours'],
    [{ expires_at: 1 }, 'expires_at'],
    [{ expires_at: 4_102_444_801 }, 'expires_at'],
    [{ description: 'x' }, 'description'],
  ])('refuses %j and changes nothing', async (body, field) => {
    const { id } = await createKey()
    const before = await listKeys()
    const answer = await rotate(id, body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect(await listKeys()).toEqual(before)
  })
})

describe('409', () => {
  it('refuses a key that was rotated and still works, and names the new one', async () => {
    const old = await createKey()
    const { body: next } = await rotate(old.id)
    const before = await listKeys()
    const { status, body } = await rotate(old.id)
    expect([status, Object.keys(body)]).toEqual([409, ['message']])
    expect(body.message).toContain(`The API key was already rotated: key '${next.id}' replaces it`)
    expect(await listKeys()).toEqual(before)
    expect((await rotate(next.id)).status).toBe(201)
  })

  it('no longer reports it once the grace period is over or the key was revoked', async () => {
    const [revoked, ended] = [await createKey(), await createKey()]
    await rotate(revoked.id)
    await rotate(ended.id, { grace_period_hours: 1 })
    await app.member.delete(`${KEYS}/${revoked.id}`)
    app.clock.advance(3_600_000)
    for (const { id } of [revoked, ended]) expect((await rotate(id)).status).toBe(404)
  })

  it('lets one of 32 concurrent rotations create the new key', async () => {
    const { id } = await createKey()
    const before = (await listKeys()).length
    const answers = await Promise.all(Array.from({ length: 32 }, () => rotate(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
    const after = await listKeys()
    expect(after).toHaveLength(before + 1)
    const winner = answers.find(({ status }) => status === 201)?.body
    expect(after.find(({ key_id }) => key_id === `${id}0000`)?.replaced_by).toBe(`${winner.id}0000`)
  })
})

describe('404', () => {
  it('refuses keys that are revoked, expired or unknown', async () => {
    const [revoked, expired] = [await createKey(), await createKey()]
    await app.member.delete(`${KEYS}/${revoked.id}`)
    await app.sql('update service_account_keys set expires_at = $1 where key_id = $2', [
      app.clock.now(),
      `${expired.id}0000`,
    ])
    const before = await listKeys()
    for (const id of [revoked.id, expired.id, 'nonsense']) {
      const { status, body } = await rotate(id)
      expect([status, body]).toEqual([404, NO_KEY])
    }
    expect(await listKeys()).toEqual(before)
  })

  it('leaves no key that works too long after a concurrent rotation and revocation', async () => {
    const { id, key } = await createKey()
    const [rotated, revoked] = await Promise.all([rotate(id), app.admin.delete(`${KEYS}/${id}`)])
    expect(revoked.status).toBe(200)
    expect([201, 404]).toContain(rotated.status)
    expect(await readStatus(key)).toBe(401)
  })
})

describe('409 and 422', () => {
  it('do not rotate again on a retry', async () => {
    const { id } = await createKey()
    const named = { 'idempotency-key': 'rotated-once' }
    const send = (body: object) => app.member.call('POST', `${KEYS}/${id}/rotate`, body, named)
    expect((await send({})).status).toBe(201)
    const before = await listKeys()
    const again = await send({})
    expect(again.status).toBe(409)
    expect(again.body.message).toContain('the secret is shown only once')
    expect((await send({ grace_period_hours: 2 })).status).toBe(422)
    expect(await listKeys()).toEqual(before)
  })

  it('leave the Idempotency-Key of a refused rotation unused', async () => {
    const named = { 'idempotency-key': 'refused-first' }
    const { id } = await createKey()
    const path = `${KEYS}/${id}/rotate`
    expect((await app.snapshotter.call('POST', path, {}, named)).status).toBe(403)
    expect((await app.member.call('POST', path, {}, named)).status).toBe(201)
  })
})

describe('503', () => {
  it.each(['insert', 'update'])('explains the result if the %s fails, and stores nothing', async step => {
    const { id, key } = await createKey()
    const before = await listKeys()
    await app.sql(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql(
      `create trigger fail before ${step} on service_account_keys for each row execute function fail()`,
    )
    const { status, body, headers } = await rotate(id)
    await app.sql('drop function fail cascade')
    expect(status).toBe(503)
    // The disk is full until somebody makes room.
    expect(headers['retry-after']).toBe('30')
    expect(body.message).toMatch(/whole or not at all: unless the list shows a new key, nothing has changed$/)
    expect(await listKeys()).toEqual(before)
    expect(await readStatus(key)).toBe(200)
    expect((await rotate(id)).status).toBe(201)
  })
})
