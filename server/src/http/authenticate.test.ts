import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, startTestApp, type TestApp } from '../../test/harness.ts'
import { listStatements, untilIdle } from '../../test/statement-log.ts'
import { applySetUp } from '../admin/apply.ts'
import { withOwnerTransaction } from '../db/owner.ts'
import { makeIds } from '../lib/ids.ts'
import { hashSecret, systemSecrets } from '../lib/secrets.ts'

const NOT_VALID = { message: 'The API key is not valid' }
const HOW = {
  message:
    'The Authorization header contains no API key; send it as `Authorization: Bearer <key>`, or with HTTP Basic as the user name',
}
const encodeBase64 = (text: string) => Buffer.from(text).toString('base64')
const OPAQUE = 'imported-from-an-older-service/+='

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
})
afterAll(() => app.stop())

const setUp = (input: Parameters<typeof applySetUp>[1]) =>
  withOwnerTransaction(app.owner, tx =>
    applySetUp(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] },
      input,
    ),
  )

let users = 0
/** Creates a new user with a role in acme, so that tests do not disturb each other. */
async function createMember(
  role: 'member' | 'reader' = 'member',
  secret?: string,
): Promise<Client & { name: string }> {
  users += 1
  const name = `newcomer-${users}`
  const key = secret ?? systemSecrets.createToken('user').key
  await setUp({
    users: [{ name, api_keys: [{ secret: key }] }],
    orgs: [{ name: 'acme', members: [{ user: name, role }] }],
  })
  return { ...app.makeClientWith(key), name }
}

const changeKey = (client: Client, change: string, ...values: unknown[]) =>
  app.sql(
    `update personal_keys set ${change} where secret_hash = decode('${hashSecret(client.key ?? '')}', 'hex')`,
    values,
  )

const callWith = (authorization: string) =>
  app.anonymous.call('GET', '/flows/acme', undefined, { authorization })

describe('200', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('accepts the scheme as %j', async scheme => {
    expect((await callWith(`${scheme} ${app.reader.key}`)).status).toBe(200)
  })

  it.each(['', 'whatever', 'a:b'])(
    'accepts the key as the user name of Basic, with the password %j',
    async password => {
      for (const scheme of ['Basic', 'basic']) {
        const answer = await callWith(`${scheme} ${encodeBase64(`${app.reader.key}:${password}`)}`)
        expect(answer.status).toBe(200)
      }
    },
  )

  it('accepts an imported secret of any form', async () => {
    const client = await createMember('reader', OPAQUE)
    expect((await client.get('/flows/acme/ci')).status).toBe(200)
    expect((await app.makeClientWith(`${OPAQUE}x`).get('/flows/acme/ci')).status).toBe(401)
  })

  it('recognizes a service account only in its own org', async () => {
    const secret = systemSecrets.createToken('svc').key
    const account = { name: 'robot', privilege: 'member' as const, api_keys: [{ secret }] }
    await setUp({ orgs: [{ name: 'acme', service_accounts: [account] }] })
    const robot = app.makeClientWith(secret)
    expect((await robot.put('/flows/acme', { name: 'by-robot', description: '' })).status).toBe(201)
    expect((await app.reader.get('/flows/acme/by-robot')).body.created_by).toBe('robot')
    expect((await robot.get('/flows/other-corp')).status).toBe(403)
  })

  it('looks the caller up once in a while, not every time', async () => {
    const client = await createMember()
    await client.get('/flows/acme/ci')
    expect(await listStatements(app, () => client.get('/flows/acme/ci'))).toEqual(['flows.find'])
    app.clock.advance(5000)
    expect(await listStatements(app, () => client.get('/flows/acme/ci'))).toEqual([
      'keys.find_by_key',
      'flows.find',
    ])
  })
})

describe('401', () => {
  async function expectRefused(
    answering: ReturnType<typeof callWith>,
    body: unknown = NOT_VALID,
  ): Promise<void> {
    const answer = await answering
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(body)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  }

  it('without credentials', async () => {
    await expectRefused(app.anonymous.get('/flows/acme'), { message: 'Authentication is required' })
    await expectRefused(app.anonymous.get('/user/default-org'), { message: 'Authentication is required' })
  })

  it.each([
    ['a short user name', `Basic ${encodeBase64('rita:')}`],
    ['the key as a password', `Basic ${encodeBase64('rita:abcdefghijklmnopqrstuvwxyz')}`],
    ['a short key', 'Bearer short'],
    ['an endless key', `Bearer ${'x'.repeat(513)}`],
    ['a letter beyond ASCII', 'Bearer clé-clé-clé-clé-clé-clé'],
  ])('with %s, without asking the database', async (_, authorization) => {
    expect(await listStatements(app, () => expectRefused(callWith(authorization)))).toEqual([])
  })

  it.each([
    ['no key', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['two keys', 'Bearer one-key-of-the-caller and-another-one'],
    ['a key alone', 'abcdefghijklmnopqrstuvwxyz'],
    ['another scheme', 'Token abcdefghijklmnopqrstuvwxyz'],
    ['Basic that is not encoded', 'Basic abcdefghij_klmnopqrstuvwxyz:'],
    ['Basic without a colon', `Basic ${encodeBase64('abcdefghijklmnopqrstuvwxyz')}`],
    ['Basic without a user name', `Basic ${encodeBase64(':abcdefghijklmnopqrstuvwxyz')}`],
    ['Basic without anything', 'Basic'],
    ['nothing', ''],
  ])('with %s: says how to send a key, without repeating what was sent', async (_, authorization) => {
    expect(await listStatements(app, () => expectRefused(callWith(authorization), HOW))).toEqual([])
  })

  it('with a typo in the key, without asking the database', async () => {
    const key = app.reader.key ?? ''
    const typo = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    expect(await listStatements(app, () => expectRefused(callWith(`Bearer ${typo}`)))).toEqual([])
  })

  it.each([
    ['made up', systemSecrets.createToken('user').key],
    ['made up for a service', systemSecrets.createToken('svc').key],
    ['opaque', 'never-imported-by-anybody'],
  ])('with an unknown key: %s', async (_, key) => {
    await expectRefused(callWith(`Bearer ${key}`))
  })

  it('as soon as the key expires, even while it is in the auth cache', async () => {
    const client = await createMember()
    await changeKey(client, 'expires_at = $1', new Date(app.clock.now().getTime() + 1000))
    expect((await client.get('/flows/acme')).status).toBe(200)
    app.clock.advance(999)
    expect((await client.get('/flows/acme')).status).toBe(200)
    app.clock.advance(1)
    await expectRefused(client.get('/flows/acme'))
  })

  it('within five seconds after the key is revoked', async () => {
    const client = await createMember()
    expect((await client.get('/flows/acme')).status).toBe(200)
    await changeKey(client, 'revoked_at = $1', app.clock.now())
    app.clock.advance(5000)
    await expectRefused(client.get('/flows/acme'))
    await expectRefused(client.put('/flows/acme', { name: 'too-late', description: '' }))
    expect((await app.reader.get('/flows/acme/too-late')).status).toBe(404)
  })

  it('before the body is read', async () => {
    await expectRefused(app.makeClientWith('never-imported-by-anybody').put('/flows/acme', '{'))
  })
})

describe('403', () => {
  it('within five seconds after a role is removed, and 201 after it is granted', async () => {
    const client = await createMember('reader')
    const setRole = (role: string) =>
      app.sql('update memberships m set role = $1 from users u where u.user_id = m.user_id and u.name = $2', [
        role,
        client.name,
      ])
    const put = (name: string) => client.put('/flows/acme', { name, description: '' })
    expect((await put('promoted')).status).toBe(403)
    await setRole('member')
    app.clock.advance(5000)
    expect((await put('promoted')).status).toBe(201)
    await setRole('reader')
    app.clock.advance(5000)
    expect((await put('demoted')).body).toEqual({
      message: "You don't have permission to access this resource",
    })
  })

  it('within five seconds after a member left', async () => {
    const client = await createMember()
    expect((await client.get('/flows/acme')).status).toBe(200)
    await app.sql('delete from memberships m using users u where u.user_id = m.user_id and u.name = $1', [
      client.name,
    ])
    app.clock.advance(5000)
    expect(await client.get('/flows/acme')).toMatchObject({
      status: 403,
      body: { message: 'Access denied to /api/v2/flows/acme' },
    })
  })

  it('is the same for a foreign org and for a missing one', async () => {
    const ask = async (org: string) => {
      const answer = await app.admin.get(`/flows/${org}/ci`)
      const { 'x-request-id': _, date, ...headers } = answer.headers
      return { status: answer.status, text: answer.text.replaceAll(org, 'ORG'), headers }
    }
    // The same length, so that equal headers mean an equal length of the body.
    const foreign = await ask('other-corp')
    expect(foreign).toMatchObject({
      status: 403,
      text: '{"message":"Access denied to /api/v2/flows/ORG/ci"}',
    })
    expect(await ask('nobody-has')).toEqual(foreign)
    expect(await ask('acme%00-org')).toEqual({ ...foreign, headers: expect.anything() })
  })
})

describe('429', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: '3/m' } })
  })
  afterAll(() => limited.stop())

  it('slows one key down and no other', async () => {
    for (let i = 0; i < 3; i++) expect((await limited.member.get('/flows/acme')).status).toBe(200)
    const { status, body, headers } = await limited.member.put('/flows/acme', { name: 'x', description: '' })
    expect(status).toBe(429)
    expect(body).toEqual({ message: 'Too many requests; slow down' })
    expect(headers['retry-after']).toBe('20')
    expect(await limited.sql('select name from flows')).toEqual([])
    expect((await limited.reader.get('/flows/acme')).status).toBe(200)
    limited.clock.advance(20_000)
    expect((await limited.member.get('/flows/acme')).status).toBe(200)
    expect((await limited.member.get('/flows/acme')).status).toBe(429)
  })

  it('slows down an address that guesses keys, but not callers there with a valid one', async () => {
    const guess = () => limited.makeClientWith(systemSecrets.createToken('user').key).get('/flows/acme')
    for (let i = 0; i < 3; i++) expect((await guess()).status).toBe(401)
    const refused = await guess()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('20')
    expect((await limited.admin.get('/flows/acme')).status).toBe(200)
  })

  it('goes by the address of the connection, whatever a forwarding header says', async () => {
    limited.clock.advance(60_000)
    const callFrom = (address: string) =>
      limited.anonymous.call('GET', '/flows/acme', undefined, {
        'x-forwarded-for': address,
        'x-real-ip': address,
        forwarded: `for=${address}`,
      })
    for (let i = 0; i < 3; i++) expect((await callFrom(`192.0.2.${i}`)).status).toBe(401)
    expect((await callFrom('192.0.2.9')).status).toBe(429)
  })
})

describe('the last use of a key', () => {
  const readLastUse = async (client: Client) => {
    const [row] = await app.sql(
      `select last_used_at from personal_keys where secret_hash = decode('${hashSecret(client.key ?? '')}', 'hex')`,
    )
    return row?.last_used_at
  }

  it('is stored at most once a minute', async () => {
    const client = await createMember()
    expect(await readLastUse(client)).toBeNull()
    const first = app.clock.now()
    await client.get('/flows/acme/ci')
    await expect.poll(() => readLastUse(client), { interval: 5 }).toEqual(first)
    app.clock.advance(58_000)
    // The lookups of the caller and of the flow, and nothing else.
    expect(await listStatements(app, () => client.get('/flows/acme/ci'))).toEqual([
      'keys.find_by_key',
      'flows.find',
    ])
    expect(await readLastUse(client)).toEqual(first)
    app.clock.advance(2_000)
    const second = app.clock.now()
    await client.get('/flows/acme/ci')
    await expect.poll(() => readLastUse(client), { interval: 5 }).toEqual(second)
  })

  it('is not stored for a rejected key', async () => {
    const client = await createMember()
    await changeKey(client, 'expires_at = $1', app.clock.now())
    expect((await client.get('/flows/acme/ci')).status).toBe(401)
    await untilIdle(app.db)
    expect(await readLastUse(client)).toBeNull()
  })
})
