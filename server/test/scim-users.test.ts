// Users that an identity provider creates, finds, changes and removes, and the effect on the people behind them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { ENTERPRISE_SCHEMA, makeProvider, type Provider, proveDomains, USER_SCHEMA } from './scim.ts'

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'
const NOBODY = '01970000-0000-7000-8000-00000000'

let app: TestApp
let idp: Provider
beforeAll(async () => {
  app = await startTestApp()
  idp = await makeProvider(app, app.admin, 'acme')
  await proveDomains(app, 'acme', 'example.com', 'nowhere.example')
})
afterAll(() => app.stop())

const readRole = async (email: string, org = 'acme') =>
  (
    await app.sql(
      `select m.role from users u join memberships m on m.user_id = u.user_id join orgs o on o.org_id = m.org_id
       where u.email = $1 and o.name = $2`,
      [email, org],
    )
  )[0]?.role

const ref = (address: string) => `http://waybill.test/scim/v2/acme${address}`

describe('POST /Users', () => {
  it('creates a user who is a member, and returns its location', async () => {
    const answer = await idp.post('/Users', {
      schemas: [USER_SCHEMA, ENTERPRISE_SCHEMA],
      userName: 'Jane.Doe@example.com',
      externalId: 'x-1',
      NAME: { givenName: 'Jane', familyName: 'Doe' },
      displayName: 'Jane Doe',
      emails: [{ value: 'jane.doe@example.com', type: 'work', primary: 'True' }],
      password: 'do not keep this',
      roles: [{ value: 'x', type: 'WindowsAzureActiveDirectoryRole', primary: 'False' }],
      favouriteColour: 'red',
      [ENTERPRISE_SCHEMA]: { department: 'Ships' },
    })
    expect(answer.status).toBe(201)
    expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
    const { id, meta, ...rest } = answer.body
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/)
    expect(rest).toEqual({
      schemas: [USER_SCHEMA, ENTERPRISE_SCHEMA],
      userName: 'Jane.Doe@example.com',
      externalId: 'x-1',
      name: { givenName: 'Jane', familyName: 'Doe' },
      displayName: 'Jane Doe',
      active: true,
      emails: [{ value: 'jane.doe@example.com', type: 'work', primary: true }],
      roles: [{ value: 'x', type: 'WindowsAzureActiveDirectoryRole', primary: false }],
      [ENTERPRISE_SCHEMA]: { department: 'Ships' },
    })
    const now = app.clock.now().toISOString()
    expect(meta).toEqual({
      resourceType: 'User',
      created: now,
      lastModified: now,
      location: ref(`/Users/${id}`),
    })
    expect(answer.headers.location).toBe(meta.location)
    expect((await idp.get(`/Users/${id}`)).body).toEqual(answer.body)
    const [user] = await app.sql('select name, email, display_name from users where email = $1', [
      'jane.doe@example.com',
    ])
    expect(user).toEqual({ name: 'Jane.Doe', email: 'jane.doe@example.com', display_name: 'Jane Doe' })
    expect(await readRole('jane.doe@example.com')).toBe('reader')
    const [event] = await app.readEvents('user_provisioned')
    expect(event?.actor).toMatch(/^wb_scim_/)
    expect(event?.data).toEqual({ user_name: 'Jane.Doe@example.com' })
    const added = (await app.readEvents('member_added')).filter(({ data }) => data.user === 'Jane.Doe')
    expect(added.map(({ data }) => data)).toMatchObject([{ role: 'reader', source: 'scim' }])
    expect(JSON.stringify(await app.sql('select * from scim_users'))).not.toContain('do not keep this')
  })

  it('accepts application/json, and login names that are in use here', async () => {
    const emails = [{ value: 'ada@example.com' }]
    const answer = await idp.call(
      'POST',
      '/Users',
      { userName: 'ACME\\ada', emails },
      { 'content-type': 'application/json' },
    )
    expect(answer.status).toBe(201)
    const [named] = await app.sql(
      `select u.name, u.email from scim_users s join users u on u.user_id = s.user_id
       where s.user_name = $1`,
      ['ACME\\ada'],
    )
    expect(named).toEqual({ name: 'ACME-ada', email: 'ada@example.com' })
    await idp.user('ada@nowhere.example')
    const [second] = await app.sql("select name from users where email = 'ada@nowhere.example'")
    expect(second?.name).toBe('ada-2')
  })

  it('gives the default role of the organization', async () => {
    await app.sql(`update orgs set settings = '{"default_role":"member"}' where name = 'acme'`)
    await idp.user('new@example.com')
    expect(await readRole('new@example.com')).toBe('member')
    await app.sql(`update orgs set settings = '{}' where name = 'acme'`)
  })

  it('links an existing member by mail address and keeps the role', async () => {
    await app.sql("update users set email = 'Max@example.com' where name = 'max'")
    const user = await idp.user('max@example.com')
    const [row] = await app.sql(
      'select u.name from scim_users s join users u on u.user_id = s.user_id where s.user_name = $1',
      ['max@example.com'],
    )
    expect(row?.name).toBe('max')
    expect(await readRole('Max@example.com')).toBe('member')
    expect((await idp.delete(`/Users/${user.id}`)).status).toBe(204)
    expect(await readRole('Max@example.com')).toBeUndefined()
  })

  it('without an address adds no member and invites nobody', async () => {
    const user = await idp.user('no-address')
    expect(user.active).toBe(true)
    expect(await app.sql("select user_id, email from scim_users where user_name = 'no-address'")).toEqual([
      { user_id: null, email: null },
    ])
  })

  it('for an inactive user adds no member', async () => {
    const user = await idp.user('later@example.com', { active: false })
    expect(user.active).toBe(false)
    expect(await readRole('later@example.com')).toBeUndefined()
  })

  it('returns 409 for a name in use, regardless of case, and for an address in use', async () => {
    await idp.user('taken@example.com')
    for (const body of [
      { userName: 'TAKEN@example.com' },
      { userName: 'other', emails: [{ value: 'taken@example.com' }] },
    ]) {
      const answer = await idp.post('/Users', body)
      expect(answer.status).toBe(409)
      expect(answer.body.scimType).toBe('uniqueness')
    }
  })

  it('sent sixteen times at once creates one user', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => idp.post('/Users', { userName: 'once@example.com' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(15).fill(409)])
    for (const { status, body } of answers) if (status === 409) expect(body.scimType).toBe('uniqueness')
    expect(await app.sql("select 1 from users where email = 'once@example.com'")).toHaveLength(1)
    expect(
      await app.sql("select 1 from events where data ->> 'user_name' = 'once@example.com'"),
    ).toHaveLength(1)
  })

  it.each<[string, unknown, string]>([
    ['no userName', { displayName: 'x' }, 'invalidValue'],
    ['an empty userName', { userName: ' ' }, 'invalidValue'],
    ['a userName that is too long', { userName: 'x'.repeat(513) }, 'invalidValue'],
    ['a userName that is a number', { userName: 5 }, 'invalidValue'],
    ['an active that is neither', { userName: 'x', active: 'perhaps' }, 'invalidValue'],
    ['too much', { userName: 'x', title: 'x'.repeat(70_000) }, 'invalidValue'],
    ['emails that are no objects', { userName: 'x', emails: ['x'] }, 'invalidValue'],
    ['another schema', { schemas: ['urn:x'], userName: 'x' }, 'invalidSyntax'],
    ['a list', [], 'invalidSyntax'],
    ['text that is no JSON', '{"userName":', 'invalidSyntax'],
    ['no body', undefined, 'invalidSyntax'],
    ['a key twice', '{"userName":"a","userName":"b"}', 'invalidSyntax'],
  ])('returns 400 for %s', async (_what, body, scimType) => {
    const answer = await idp.call('POST', '/Users', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ schemas: [ERROR], status: '400', scimType })
    expect(Object.keys(answer.body).sort()).toEqual(['detail', 'schemas', 'scimType', 'status'])
  })

  it('returns 415 and 413 in the same form', async () => {
    const form = await idp.call('POST', '/Users', 'x', { 'content-type': 'text/plain' })
    expect([form.status, form.body.status]).toEqual([415, '415'])
    const large = await idp.post('/Users', { userName: 'x', title: 'x'.repeat(1_100_000) })
    expect([large.status, large.body.schemas]).toEqual([413, [ERROR]])
  })
})

describe('GET /Users', () => {
  it('returns 404 for an unknown id', async () => {
    for (const id of [NOBODY, 'x', '%00', 'constructor']) {
      for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { userName: 'x' }]] as const) {
        const answer = await idp.call(method, `/Users/${id}`, body)
        expect(answer.status).toBe(404)
        expect(answer.body).toMatchObject({ schemas: [ERROR], status: '404' })
      }
    }
  })

  it('finds by name, external id, address, id and other attributes', async () => {
    const user = await idp.user('find.me@example.com', {
      externalId: 'Ext-77',
      emails: [{ value: 'find@mail.example', type: 'work' }],
      name: { familyName: 'Findling' },
    })
    for (const filter of [
      'userName eq "FIND.me@example.com"',
      'externalId eq "Ext-77"',
      'externalId eq "Ext-77" and active eq true',
      'emails.value eq "find@mail.example"',
      'emails[type eq "work"].value eq "find@mail.example"',
      `id eq "${user.id}"`,
      'name.familyName sw "findl"',
      'userName co "find.me" and not (active eq false)',
      `meta.created ge "2026-01-01T00:00:00Z" and name.familyName eq "Findling"`,
    ]) {
      const { status, body } = await idp.get(`/Users?filter=${encodeURIComponent(filter)}`)
      expect(status).toBe(200)
      expect([filter, body.totalResults, body.Resources[0]?.id]).toEqual([filter, 1, user.id])
    }
    for (const filter of [
      'userName eq "nobody"',
      'externalId eq "ext-77"',
      'id eq "x"',
      `id eq "${NOBODY}"`,
      'userName eq "find.me@example.com" and active eq false',
    ]) {
      const { body } = await idp.get(`/Users?filter=${encodeURIComponent(filter)}`)
      expect([filter, body.totalResults, body.Resources]).toEqual([filter, 0, []])
    }
  })

  it('pages from 1, with bounds', async () => {
    const all = (await idp.get('/Users')).body
    expect(all.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
    const total = all.totalResults
    expect(total).toBeGreaterThan(5)
    expect(all).toMatchObject({ startIndex: 1, itemsPerPage: total })
    const ids = all.Resources.map(({ id }: { id: string }) => id)
    const page = async (query: string) => {
      const { body } = await idp.get(`/Users?${query}`)
      expect(body.totalResults).toBe(total)
      return [body.startIndex, body.itemsPerPage, body.Resources.map(({ id }: { id: string }) => id)]
    }
    expect(await page('startIndex=2&count=2')).toEqual([2, 2, ids.slice(1, 3)])
    expect(await page('startIndex=0&count=1')).toEqual([1, 1, ids.slice(0, 1)])
    expect(await page('startIndex=-5&count=1')).toEqual([1, 1, ids.slice(0, 1)])
    expect(await page('count=0')).toEqual([1, 0, []])
    expect(await page('count=-1')).toEqual([1, 0, []])
    expect(await page('count=100000')).toEqual([1, total, ids])
    expect(await page(`startIndex=${total + 1}`)).toEqual([total + 1, 0, []])
    expect(await page('startIndex=999999999999&count=1')).toMatchObject([2 ** 31, 0, []])
    expect(await page('filter=userName%20pr&startIndex=2&count=2')).toEqual([2, 2, ids.slice(1, 3)])
    expect(await page('sortBy=userName&unknown=1&count=1')).toEqual([1, 1, ids.slice(0, 1)])
  })

  it('shows the requested attributes', async () => {
    const [user] = (await idp.get('/Users?filter=externalId%20eq%20%22x-1%22')).body.Resources
    const { id } = user
    const only = await idp.get(`/Users/${id}?attributes=userName,emails.value,name.givenName,nothing`)
    expect(only.body).toEqual({
      schemas: user.schemas,
      id,
      userName: user.userName,
      emails: [{ value: 'jane.doe@example.com' }],
      name: { givenName: 'Jane' },
    })
    const without = await idp.get(`/Users/${id}?excludedAttributes=emails,name.familyName,id`)
    expect(without.body).toEqual({
      ...Object.fromEntries(Object.entries(user).filter(([name]) => name !== 'emails')),
      name: { givenName: 'Jane' },
    })
    const listed = await idp.get('/Users?filter=externalId%20eq%20%22x-1%22&attributes=userName')
    expect(listed.body.Resources).toEqual([{ schemas: user.schemas, id, userName: user.userName }])
  })

  it('rejects filters and parameters that it cannot parse', async () => {
    for (const [query, scimType] of [
      ['filter=userName', 'invalidFilter'],
      ['filter=nothing%20eq%20%22x%22', 'invalidFilter'],
      ['filter=', 'invalidFilter'],
      ['filter=userName%20eq%20%22%00%22', 'invalidSyntax'],
      ['startIndex=x', 'invalidValue'],
      ['count=1.5', 'invalidValue'],
      ['count=1&count=2', 'invalidValue'],
    ]) {
      const answer = await idp.get(`/Users?${query}`)
      expect([query, answer.status, answer.body.scimType]).toEqual([query, 400, scimType])
    }
  })
})

describe('PUT /Users/{id}', () => {
  it('replaces all attributes, and changes nothing when they are the same', async () => {
    const { id } = await idp.user('put@example.com', { title: 'Dr', nickName: 'P', externalId: 'p' })
    app.clock.advance(1000)
    const body = { userName: 'put2@example.com', title: 'Prof' }
    const answer = await idp.put(`/Users/${id}`, body)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, ...body, active: true })
    expect(answer.body).not.toHaveProperty('nickName')
    expect(answer.body).not.toHaveProperty('externalId')
    expect(answer.body.meta.lastModified).toBe(app.clock.now().toISOString())
    const [event] = (await app.readEvents('provisioned_user_changed')).slice(-1)
    expect(event?.data).toEqual({
      user_name: 'put2@example.com',
      changed: expect.arrayContaining(['userName', 'title', 'nickName', 'externalId']),
    })
    const before = (await app.readEvents()).length
    app.clock.advance(1000)
    expect((await idp.put(`/Users/${id}`, body)).body).toEqual(answer.body)
    expect(await app.readEvents()).toHaveLength(before)
  })

  it('returns 409 for the name of another user', async () => {
    const { id } = await idp.user('first@example.com')
    await idp.user('second@example.com')
    const answer = await idp.put(`/Users/${id}`, { userName: 'Second@example.com' })
    expect([answer.status, answer.body.scimType]).toEqual([409, 'uniqueness'])
    expect((await idp.put(`/Users/${id}`, { userName: 'FIRST@example.com' })).status).toBe(200)
  })
})
