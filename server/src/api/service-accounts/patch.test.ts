import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const NO_PERMISSION = { message: "You don't have permission to access this resource" }
const ACCOUNTS = '/service-accounts/acme'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const readPrivilege = async (name: string) => (await app.admin.get(`${ACCOUNTS}/${name}`)).body.privilege

describe('200', () => {
  it('changes the given fields, keeps the rest, and records before and after', async () => {
    await app.member.post(ACCOUNTS, { name: 'changing', description: 'old' })
    const { status, body } = await app.member.patch(`${ACCOUNTS}/changing`, { privilege: 'member' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'changing', privilege: 'member', description: 'old' })
    expect((await app.admin.patch(`${ACCOUNTS}/changing`, { description: '' })).body.description).toBe('')
    expect((await app.readEvents('service_account_changed')).map(({ data }) => data)).toEqual([
      {
        service_account: 'changing',
        display_name: 'changing',
        privilege: 'member',
        description: 'old',
        owner: 'max',
        previous: { display_name: 'changing', privilege: 'reader', description: 'old', owner: 'max' },
      },
      {
        service_account: 'changing',
        display_name: 'changing',
        privilege: 'member',
        description: '',
        owner: 'max',
        previous: { display_name: 'changing', privilege: 'member', description: 'old', owner: 'max' },
      },
    ])
  })

  it('changes the display name, and resets it to the name if it is null or empty', async () => {
    await app.admin.post(ACCOUNTS, { name: 'named' })
    const patch = async (body: unknown) =>
      (await app.admin.patch(`${ACCOUNTS}/named`, body)).body.display_name
    expect(await patch({ display_name: 'Build server 2' })).toBe('Build server 2')
    expect(await patch({ description: 'x' })).toBe('Build server 2')
    expect((await app.admin.get(`${ACCOUNTS}/named`)).body.display_name).toBe('Build server 2')
    expect(await patch({ display_name: null })).toBe('named')
    await patch({ display_name: 'Build server 3' })
    expect(await patch({ display_name: '' })).toBe('named')
    const data = (await app.readEvents('service_account_changed')).at(-1)?.data
    expect(data).toMatchObject({ display_name: 'named', previous: { display_name: 'Build server 3' } })
  })

  it.each(['x'.repeat(201), 'two\nlines'])('refuses the display name %j', async display_name => {
    await app.admin.post(ACCOUNTS, { name: 'plain-named' })
    for (const answer of [
      await app.admin.post(ACCOUNTS, { name: 'never-named', display_name }),
      await app.admin.patch(`${ACCOUNTS}/plain-named`, { display_name }),
    ]) {
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body.errors)).toEqual(['display_name'])
    }
  })

  it('clears a null description, and keeps an omitted one', async () => {
    await app.admin.post(ACCOUNTS, { name: 'clearing', description: 'old' })
    const patch = async (body: unknown) => (await app.admin.patch(`${ACCOUNTS}/clearing`, body)).body
    expect(await patch({ privilege: 'member' })).toMatchObject({ description: 'old' })
    expect(await patch({ description: null, privilege: 'member' })).toMatchObject({
      description: '',
      privilege: 'member',
    })
    expect((await app.admin.get(`${ACCOUNTS}/clearing`)).body.description).toBe('')
  })

  it('records nothing if nothing changes', async () => {
    await app.admin.post(ACCOUNTS, { name: 'same' })
    const before = await app.readEvents()
    for (const body of [{}, { privilege: 'reader' }]) {
      expect((await app.admin.patch(`${ACCOUNTS}/same`, body)).status).toBe(200)
    }
    expect(await app.readEvents()).toEqual(before)
  })

  it('applies to the keys of the account immediately', async () => {
    await app.admin.post(ACCOUNTS, { name: 'promoted' })
    const { body } = await app.admin.post(`${ACCOUNTS}/promoted/api-keys`, { description: 'k' })
    const robot = app.makeClientWith(body.key)
    const create = () => robot.put('/flows/acme', { name: 'by-robot', description: '' })
    expect((await create()).status).toBe(403)
    await app.admin.patch(`${ACCOUNTS}/promoted`, { privilege: 'member' })
    expect((await create()).status).toBe(201)
    await app.admin.patch(`${ACCOUNTS}/promoted`, { privilege: 'reader' })
    expect((await create()).status).toBe(403)
  })
})

describe('400', () => {
  it('lists the valid privileges, and accepts no new name', async () => {
    await app.admin.post(ACCOUNTS, { name: 'strict' })
    const { status, body } = await app.admin.patch(`${ACCOUNTS}/strict`, { privilege: 'x', name: 'y' })
    expect(status).toBe(400)
    expect(Object.keys(body.errors).sort()).toEqual(['name', 'privilege'])
    expect(body.errors.privilege).toContain("'snapshotter'")
  })
})

describe('403', () => {
  it.each(['snapshotter', 'member'] as const)(
    'refuses a %s the accounts of others, and privileges above their role',
    async role => {
      await app.admin.post(ACCOUNTS, { name: `of-ada-for-${role}` })
      await app[role].post(ACCOUNTS, { name: `own-of-${role}` })
      const foreign = await app[role].patch(`${ACCOUNTS}/of-ada-for-${role}`, { description: 'x' })
      expect([foreign.status, foreign.body]).toEqual([403, NO_PERMISSION])
      const above = await app[role].patch(`${ACCOUNTS}/own-of-${role}`, { privilege: 'admin' })
      expect([above.status, above.body]).toEqual([403, NO_PERMISSION])
      expect(await readPrivilege(`own-of-${role}`)).toBe('reader')
    },
  )

  it('refuses the creator an account that an admin raised above them', async () => {
    await app.snapshotter.post(ACCOUNTS, { name: 'raised' })
    await app.admin.patch(`${ACCOUNTS}/raised`, { privilege: 'admin' })
    const key = { description: 'a way up' }
    expect((await app.snapshotter.post(`${ACCOUNTS}/raised/api-keys`, key)).body).toEqual(NO_PERMISSION)
    expect((await app.snapshotter.patch(`${ACCOUNTS}/raised`, { description: 'x' })).status).toBe(403)
    expect((await app.snapshotter.delete(`${ACCOUNTS}/raised`)).status).toBe(403)
  })
})

describe('404', () => {
  it('for an unknown account', async () => {
    const { status, body } = await app.admin.patch(`${ACCOUNTS}/nothing`, { description: 'x' })
    expect([status, body]).toEqual([404, { message: 'Service account not found' }])
  })
})
