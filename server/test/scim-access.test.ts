// Access to SCIM: only a token of the organization itself can provision, and it changes nothing in other
// organizations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../src/api/operations.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { getNeededAccess } from './roles.ts'
import {
  ENTERPRISE_SCHEMA,
  GROUP_SCHEMA,
  listScimRoutes,
  makeProvider,
  makeProviderWith,
  type Provider,
  proveDomains,
  USER_SCHEMA,
} from './scim.ts'

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

let app: TestApp
let acme: Provider
let other: Provider
beforeAll(async () => {
  app = await startTestApp()
  acme = await makeProvider(app, app.admin, 'acme')
  other = await makeProvider(app, app.outsider, 'other-corp')
})
afterAll(() => app.stop())

/** Checksums of all rows of the other org, by table. */
async function hashOtherRows(): Promise<unknown> {
  const tables = await app.sql(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition order by 1`,
  )
  const sums: unknown[] = []
  for (const { name } of tables) {
    const [row] = await app.sql(
      `select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as sum from ${name} t
       join orgs o on o.org_id = t.org_id where o.name = 'other-corp'`,
    )
    sums.push([name, row?.sum])
  }
  return sums
}

describe('a credential', () => {
  const strangers: [string, () => string | undefined][] = [
    ['none', () => undefined],
    ['an API key of an admin', () => `Bearer ${app.admin.key}`],
    ['the token of another org', () => `Bearer ${other.token}`],
    ['a SCIM token that nobody has', () => `Bearer ${systemSecrets.createToken('scim').key}`],
    ['a session as a bearer', () => `Bearer ${systemSecrets.createToken('ses').key}`],
    ['a service key', () => `Bearer ${systemSecrets.createToken('svc').key}`],
    ['a mistyped token', () => `Bearer ${acme.token.slice(0, -1)}_`],
    ['the token as a user name', () => `Basic ${Buffer.from(`${acme.token}:`).toString('base64')}`],
    ['an opaque text', () => 'Bearer some-opaque-secret-that-nobody-imported'],
  ]
  it.each(strangers)('%s is rejected by every route with a SCIM error', async (_what, authorization) => {
    const before = await app.sql('select count(*) from events')
    for (const route of listScimRoutes()) {
      const [method, path] = route.split(' ')
      const header = authorization()
      const answer = await app.server.inject({
        method: method as 'GET',
        url: String(path).replace('{org}', 'acme').replace('{id}', 'User'),
        headers: header === undefined ? {} : { authorization: header },
      })
      expect([route, answer.statusCode]).toEqual([route, 401])
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
      expect(JSON.parse(answer.body)).toEqual({
        schemas: [ERROR],
        status: '401',
        detail: 'A SCIM token of this organization is required',
      })
    }
    expect(await app.sql('select count(*) from events')).toEqual(before)
  })

  it('for an unknown organization is rejected in the same way, and a cookie does not help', async () => {
    for (const org of ['no-such-org', 'other-corp', '%00', 'acme%00']) {
      const answer = await makeProviderWith(app, acme.token, org).get('/Users')
      expect([org, answer.status]).toEqual([org, 401])
    }
    const cookie = `__Host-waybill=${systemSecrets.createToken('ses').key}`
    const answer = await app.server.inject({ url: '/scim/v2/acme/Users', headers: { cookie } })
    expect(answer.statusCode).toBe(401)
  })

  it('that is a SCIM token gives no access to the API', async () => {
    const client = app.makeClientWith(acme.token)
    for (const { contract } of operations) {
      if (getNeededAccess(contract) === 'public') continue
      const path = contract.path.replace('{org}', 'acme').replaceAll(/\{\w+\+?\}/g, 'x')
      expect([contract.id, (await client.call(contract.method, path)).status]).toEqual([contract.id, 401])
    }
  })

  it('works until it is revoked or expires, and shows when it was used', async () => {
    const { body: made } = await app.admin.post('/scim-tokens/acme', { description: 'short' })
    const short = makeProviderWith(app, made.token, 'acme')
    expect((await short.get('/Users')).status).toBe(200)
    const listed = (await app.admin.get('/scim-tokens/acme')).body
    expect(listed.find(({ id }: { id: string }) => id === made.id).last_used_at).toBe(
      app.clock.now().getTime() / 1000,
    )
    expect((await app.admin.delete(`/scim-tokens/acme/${made.id}`)).body).toBe('revoked')
    expect((await short.get('/Users')).status).toBe(401)
    const expires_at = app.clock.now().getTime() / 1000 + 60
    const { body: brief } = await app.admin.post('/scim-tokens/acme', { description: 'brief', expires_at })
    expect((await makeProviderWith(app, brief.token, 'acme').get('/Users')).status).toBe(200)
    app.clock.advance(61_000)
    expect((await makeProviderWith(app, brief.token, 'acme').get('/Users')).status).toBe(401)
  })

  it('stops working when its organization is scheduled for deletion', async () => {
    await app.sql("update orgs set delete_requested_at = now() where name = 'acme'")
    expect((await acme.get('/Users')).status).toBe(401)
    await app.sql("update orgs set delete_requested_at = null where name = 'acme'")
    expect((await acme.get('/Users')).status).toBe(200)
  })
})

describe('another organization', () => {
  it('keeps every row, and its users and groups cannot be found', async () => {
    const theirs = await other.user('theirs@example.com')
    const group = await other.group('their-admins', [theirs])
    const before = await hashOtherRows()
    const mine = await acme.user('mine@example.com')
    await acme.user('their@example.com', { externalId: theirs.id })
    const crew = await acme.group('their-admins', [mine])
    expect((await acme.post('/Groups', { displayName: 'x', members: [{ value: theirs.id }] })).status).toBe(
      400,
    )
    for (const path of [`/Users/${theirs.id}`, `/Groups/${group.id}`]) {
      for (const answer of [
        await acme.get(path),
        await acme.delete(path),
        await acme.put(path, { userName: 'x', displayName: 'x' }),
        await acme.patch(path, { op: 'replace', value: { active: false, members: [] } }),
      ]) {
        expect(answer.status).toBe(404)
      }
    }
    const { body } = await acme.get('/Users?filter=userName%20co%20%22theirs%22')
    expect(body.totalResults).toBe(0)
    await acme.delete(`/Users/${mine.id}`)
    await acme.delete(`/Groups/${crew.id}`)
    expect(await hashOtherRows()).toEqual(before)
  })
})

it('provisions the same address in two organizations at once, and creates one person', async () => {
  await proveDomains(app, 'acme', 'both.example')
  for (let i = 0; i < 8; i++) {
    const body = { userName: `both-${i}@both.example` }
    const answers = await Promise.all([acme, other].map(idp => idp.post('/Users', body)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await app.sql('select 1 from users where email = $1', [body.userName])).toHaveLength(1)
  }
})

describe('discovery', () => {
  it('lists the supported features', async () => {
    const { status, body } = await acme.get('/ServiceProviderConfig')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: false },
      etag: { supported: false },
      changePassword: { supported: false },
    })
    expect(body.authenticationSchemes[0].type).toBe('oauthbearertoken')
  })

  it('lists the types of resources', async () => {
    const { body } = await acme.get('/ResourceTypes')
    expect(body.totalResults).toBe(2)
    for (const type of body.Resources) {
      expect((await acme.get(`/ResourceTypes/${type.id}`)).body).toEqual(type)
      expect(type.meta.location).toBe(`http://waybill.test/scim/v2/acme/ResourceTypes/${type.name}`)
    }
    expect(body.Resources[0]).toMatchObject({ endpoint: '/Users', schema: USER_SCHEMA })
    expect(body.Resources[0].schemaExtensions).toEqual([{ schema: ENTERPRISE_SCHEMA, required: false }])
    expect((await acme.get('/ResourceTypes/Robot')).status).toBe(404)
  })

  it('shows the schemas, without a password', async () => {
    const { body } = await acme.get('/Schemas')
    const ids = body.Resources.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([USER_SCHEMA, GROUP_SCHEMA, ENTERPRISE_SCHEMA])
    for (const schema of body.Resources)
      expect((await acme.get(`/Schemas/${schema.id}`)).body).toEqual(schema)
    const user = body.Resources[0].attributes
    expect(user.find(({ name }: { name: string }) => name === 'userName')).toMatchObject({
      type: 'string',
      required: true,
      uniqueness: 'server',
    })
    expect(user.some(({ name }: { name: string }) => name === 'password')).toBe(false)
    expect((await acme.get('/Schemas/urn:nothing')).status).toBe(404)
  })
})

it('returns a SCIM error for unknown paths and methods', async () => {
  for (const [method, path, status] of [
    ['POST', '/Bulk', 404],
    ['GET', '/Me', 404],
    ['POST', '/Users/.search', 405],
    ['DELETE', '/Users', 405],
  ] as const) {
    const answer = await acme.call(method, path)
    expect([path, answer.status, answer.body.schemas]).toEqual([path, status, [ERROR]])
  }
  expect((await app.anonymous.get('/api/v2/nothing')).body).toEqual({
    message: 'There is nothing at this address',
  })
})

it('has the same rate limit as every caller', async () => {
  const limited = await startTestApp({ settings: { WAYBILL_RATE_LIMIT: '5/m' } })
  try {
    const idp = await makeProvider(limited, limited.admin, 'acme')
    const statuses = []
    for (let i = 0; i < 7; i++) statuses.push((await idp.get('/Users')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    const answer = await idp.get('/Users')
    expect(answer.body).toMatchObject({ schemas: [ERROR], status: '429' })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  } finally {
    await limited.stop()
  }
})
