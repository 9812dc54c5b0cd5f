// Groups of an identity provider and the roles they give: the highest role wins, immediately, for every member.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseGroupRole, pickHighestRole } from '../src/domain/group-roles.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { GROUP_SCHEMA, makeProvider, type Provider, proveDomains } from './scim.ts'

const NOBODY = '01970000-0000-7000-8000-00000000'

let app: TestApp
let idp: Provider
beforeAll(async () => {
  app = await startTestApp()
  // A token stops with the admin who answers for it, and one test demotes the only one.
  await app.admin.post('/service-accounts/acme', { name: 'directory', privilege: 'admin', owner: null })
  const { body } = await app.admin.post('/service-accounts/acme/directory/api-keys', { description: 'x' })
  idp = await makeProvider(app, app.makeClientWith(body.key), 'acme')
  await proveDomains(app, 'acme', 'example.com', 'patch.example')
})
afterAll(() => app.stop())

const readRoles = async (...emails: string[]) => {
  const rows = await app.sql(
    `select u.email, m.role from users u join memberships m on m.user_id = u.user_id
     join orgs o on o.org_id = m.org_id and o.name = 'acme' where u.email = any ($1)`,
    [emails],
  )
  const found = new Map(rows.map(({ email, role }) => [email, role]))
  return emails.map(email => found.get(email))
}
const member = (id: string) => ({ value: id })

describe('the name of a group', () => {
  it.each([
    ['waybill-acme-admin', 'admin'],
    ['Waybill-ACME-Members', 'member'],
    ['snapshotter', 'snapshotter'],
    ['READERS', 'reader'],
    ['acme-auditors', 'auditor'],
    ['a-b-c-reader', 'reader'],
    ['administration', null],
    ['acme_admin', null],
    ['admin-acme', null],
    ['admin ', null],
    ['nonmember', null],
    ['', null],
  ])('%j means %j', (name, role) => expect(parseGroupRole(name)).toBe(role))

  it.each([
    [['reader', 'admin', 'member'], null, 'admin'],
    [['reader'], 'admin', 'reader'],
    [['reader', 'auditor'], null, 'auditor'],
    [['auditor', 'member'], null, 'member'],
    [[], 'member', 'member'],
    [[], null, 'reader'],
    [[], 'emperor', 'reader'],
  ])('roles %j and the default %j give %s', (roles, fallback, role) =>
    expect(pickHighestRole(roles, fallback)).toBe(role),
  )
})

describe('a group', () => {
  it('is created with members, who get the role in its name', async () => {
    const [one, two] = [await idp.user('one@example.com'), await idp.user('two@example.com')]
    const answer = await idp.post('/Groups', {
      schemas: [GROUP_SCHEMA],
      displayName: 'waybill-acme-member',
      externalId: 'g-1',
      members: [member(one.id), { value: two.id, type: 'User' }, member(one.id)],
    })
    expect(answer.status).toBe(201)
    const { id, meta, ...rest } = answer.body
    expect(rest).toEqual({
      schemas: [GROUP_SCHEMA],
      displayName: 'waybill-acme-member',
      externalId: 'g-1',
      members: [one, two].map(user => ({
        value: user.id,
        $ref: user.meta.location,
        display: user.userName,
        type: 'User',
      })),
    })
    expect(answer.headers.location).toBe(meta.location)
    expect(meta.location).toBe(`http://waybill.test/scim/v2/acme/Groups/${id}`)
    expect((await idp.get(`/Groups/${id}`)).body).toEqual(answer.body)
    expect((await idp.get(`/Users/${one.id}`)).body.groups).toEqual([
      { value: id, $ref: meta.location, display: 'waybill-acme-member', type: 'direct' },
    ])
    expect(await readRoles('one@example.com', 'two@example.com')).toEqual(['member', 'member'])
    const [event] = await app.readEvents('provisioned_group_created')
    expect(event?.data).toEqual({ group: 'waybill-acme-member', role: 'member', members_added: 2 })
  })

  it('is found by name, members or other attributes, with or without its members', async () => {
    const [user] = (await idp.get('/Users?filter=userName%20sw%20%22one%22')).body.Resources
    for (const filter of [
      'displayName eq "WAYBILL-acme-member"',
      'externalId eq "g-1"',
      `members.value eq "${user.id}"`,
      `members[value eq "${user.id}"]`,
      'displayName sw "waybill" and externalId pr',
    ]) {
      const path = `/Groups?filter=${encodeURIComponent(filter)}`
      const { body } = await idp.get(path)
      expect([filter, body.totalResults, body.Resources[0]?.members?.length]).toEqual([filter, 1, 2])
      const lean = await idp.get(`${path}&excludedAttributes=members`)
      expect(lean.body.totalResults).toBe(1)
      expect(lean.body.Resources[0]).not.toHaveProperty('members')
    }
    expect((await idp.get('/Groups?count=1')).body).toMatchObject({ totalResults: 1, itemsPerPage: 1 })
    expect((await idp.get('/Groups?filter=displayName%20eq')).body.scimType).toBe('invalidFilter')
  })

  it('gives its role to added members and takes it from removed members', async () => {
    const users = await Promise.all(['a', 'b', 'c'].map(name => idp.user(`${name}@patch.example`)))
    const [a, b, c] = users.map(({ id }) => String(id))
    const roles = () => readRoles('a@patch.example', 'b@patch.example', 'c@patch.example')
    const { id } = await idp.group('patch-snapshotters')
    const patch = (...operations: unknown[]) => idp.patch(`/Groups/${id}`, ...operations)
    expect(
      (await patch({ op: 'Add', path: 'members', value: users.map(user => member(user.id)) })).status,
    ).toBe(200)
    expect(await roles()).toEqual(['snapshotter', 'snapshotter', 'snapshotter'])
    await patch({ op: 'remove', path: `members[value eq "${a}"]` })
    expect(await roles()).toEqual(['reader', 'snapshotter', 'snapshotter'])
    await patch({ op: 'Remove', path: 'members', value: [member(b ?? '')] })
    expect(await roles()).toEqual(['reader', 'reader', 'snapshotter'])
    await patch({ op: 'replace', path: 'members', value: [member(a ?? ''), member(c ?? '')] })
    expect(await roles()).toEqual(['snapshotter', 'reader', 'snapshotter'])
    await patch({ op: 'replace', value: { displayName: 'patch-members' } })
    expect(await roles()).toEqual(['member', 'reader', 'member'])
    const put = await idp.put(`/Groups/${id}`, { displayName: 'patch', members: [member(c ?? '')] })
    expect(put.body.members).toHaveLength(1)
    expect(await roles()).toEqual(['reader', 'reader', 'reader'])
    const before = (await app.readEvents()).length
    await idp.put(`/Groups/${id}`, { displayName: 'patch', members: [member(c ?? '')] })
    expect(await app.readEvents()).toHaveLength(before)
  })

  it("combines with the user's other groups: the highest role wins", async () => {
    const user = await idp.user('many@example.com')
    const role = async () => (await readRoles('many@example.com'))[0]
    await idp.group('many-readers', [user])
    const admins = await idp.group('many-admins', [user])
    await idp.group('many-members', [user])
    expect(await role()).toBe('admin')
    expect((await idp.delete(`/Groups/${admins.id}`)).status).toBe(204)
    expect(await role()).toBe('member')
    expect((await idp.get(`/Groups/${admins.id}`)).status).toBe(404)
    const changes = await app.sql(
      `select kind, role, previous_role, source from membership_events where user_name = 'many' order by event_no`,
    )
    expect(changes).toEqual([
      { kind: 'added', role: 'reader', previous_role: null, source: 'scim' },
      { kind: 'changed', role: 'admin', previous_role: 'reader', source: 'scim' },
      { kind: 'changed', role: 'member', previous_role: 'admin', source: 'scim' },
    ])
  })

  it('gives no role to a user who is not active', async () => {
    const user = await idp.user('asleep@example.com', { active: false })
    await idp.group('asleep-admins', [user])
    expect(await readRoles('asleep@example.com')).toEqual([undefined])
  })

  it('changes the permissions of its members immediately', async () => {
    await app.sql("update users set email = 'rita@example.com' where name = 'rita'")
    const rita = await idp.user('rita@example.com')
    const flow = () => app.reader.put('/flows/acme', { name: 'by-rita', description: '' })
    expect((await flow()).status).toBe(403)
    await idp.group('rita-members', [rita])
    expect((await flow()).status).toBe(201)
  })

  it('cannot remove the last admin, and no part of the request is applied', async () => {
    await app.sql("update users set email = 'ada@example.com' where name = 'ada'")
    const ada = await idp.user('ada@example.com')
    const admins = await idp.group('the-admins', [ada])
    const other = await idp.user('other@example.com')
    const refused = await idp.put(`/Groups/${admins.id}`, {
      displayName: 'the-readers',
      members: [member(ada.id)],
    })
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toBe("The last admin of 'acme' cannot be removed or demoted")
    expect((await idp.delete(`/Groups/${admins.id}`)).status).toBe(409)
    expect((await idp.get(`/Groups/${admins.id}`)).body).toMatchObject({ displayName: 'the-admins' })
    // Replacing one with the other in one request works: the new admin is added first.
    const swapped = await idp.patch(
      `/Groups/${admins.id}`,
      { op: 'remove', path: `members[value eq "${ada.id}"]` },
      { op: 'add', path: 'members', value: [member(other.id)] },
    )
    expect(swapped.status).toBe(200)
    expect(await readRoles('ada@example.com', 'other@example.com')).toEqual(['reader', 'admin'])
  })
})

describe('a group is rejected', () => {
  it.each<[string, unknown, number, string]>([
    ['without a name', {}, 400, 'invalidValue'],
    ['with an unknown member', { displayName: 'x', members: [member(NOBODY)] }, 400, 'invalidValue'],
    ['with a member that is no id', { displayName: 'x', members: [member('x')] }, 400, 'invalidValue'],
    [
      'with a group in it',
      { displayName: 'x', members: [{ value: NOBODY, type: 'Group' }] },
      400,
      'invalidValue',
    ],
    ['with a name that is in use', { displayName: 'MANY-readers' }, 409, 'uniqueness'],
  ])('%s', async (_what, body, status, scimType) => {
    const before = (await idp.get('/Groups?count=0')).body.totalResults
    const answer = await idp.post('/Groups', body)
    expect([answer.status, answer.body.scimType]).toEqual([status, scimType])
    expect((await idp.get('/Groups?count=0')).body.totalResults).toBe(before)
  })

  it('with the name of another group, by PUT and PATCH', async () => {
    const { id } = await idp.group('mine')
    expect((await idp.put(`/Groups/${id}`, { displayName: 'many-READERS' })).status).toBe(409)
    const answer = await idp.patch(`/Groups/${id}`, {
      op: 'replace',
      path: 'displayName',
      value: 'many-readers',
    })
    expect(answer.status).toBe(409)
    expect((await idp.patch(`/Groups/${id}`, { op: 'remove', path: 'displayName' })).status).toBe(400)
  })

  it('with an unknown id', async () => {
    for (const answer of [
      await idp.get(`/Groups/${NOBODY}`),
      await idp.delete(`/Groups/${NOBODY}`),
      await idp.put(`/Groups/${NOBODY}`, { displayName: 'x' }),
      await idp.patch(`/Groups/${NOBODY}`, { op: 'remove', path: 'members' }),
    ]) {
      expect(answer.status).toBe(404)
    }
  })

  it('with more members than one request may change', async () => {
    const members = Array.from({ length: 1001 }, (_, i) =>
      member(`01970000-0000-7000-8000-0000${String(i).padStart(4, '0')}`),
    )
    const answer = await idp.post('/Groups', { displayName: 'crowd', members })
    expect([answer.status, answer.body.status]).toEqual([413, '413'])
  })
})

it('created sixteen times at once is created once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => idp.post('/Groups', { displayName: 'once' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(15).fill(409)])
})
