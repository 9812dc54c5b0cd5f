import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const archivedEnvironment = (name: string) => ({
  message: `Environment named '${name}' has been archived for organization 'acme'`,
})

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string, type = 'K8S', included_environments: string[] | null = null) =>
  app.member.put('/environments/acme', { name, type, description: '', included_environments })
const archive = (name: string, body: unknown = null) =>
  app.member.put(`/environments/acme/${name}/archive`, body)
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const listArchived = async () =>
  (await app.sql('select name from environments where archived_at is not null order by name')).map(
    ({ name }) => name,
  )

describe('200', () => {
  it('hides the environment and keeps it', async () => {
    await create('old')
    app.clock.advance(1000)
    const { status, body } = await archive('old')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect((await app.reader.get('/environments/acme')).body).toEqual([])
    expect(await read('old')).toEqual(archivedEnvironment('old'))
    expect(await app.sql('select name, archived_at, last_modified_at from environments')).toEqual([
      { name: 'old', archived_at: app.clock.now(), last_modified_at: app.clock.now() },
    ])
    expect(await app.readEvents('environment_archived')).toEqual([
      { kind: 'environment_archived', actor: 'max', data: { environment_name: 'old' } },
    ])
  })

  it.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('accepts %s', async (_, sent) => {
    await create('bodies')
    expect((await app.member.put('/environments/acme/bodies/archive', sent)).status).toBe(200)
  })

  it('finds the environment by a former name', async () => {
    await create('former')
    await app.member.put('/environments/acme/former/rename', { new_name: 'current' })
    expect((await archive('former')).status).toBe(200)
    expect(await read('current')).toEqual(archivedEnvironment('current'))
    expect((await app.readEvents('environment_archived')).at(-1)?.data).toEqual({
      environment_name: 'current',
    })
  })

  it('removes it from the logical environments that include it', async () => {
    for (const name of ['stays', 'leaves']) await create(name)
    await create('one', 'logical', ['leaves'])
    await create('two', 'logical', ['leaves', 'stays'])
    await create('asleep', 'logical', ['leaves', 'stays'])
    await archive('asleep')
    await app.sql(
      `update environments set latest_index = 1, state = (name = 'stays') where name in ('stays', 'leaves')`,
    )
    app.clock.advance(1000)
    expect((await archive('leaves')).status).toBe(200)
    const last_modified_at = app.clock.now().getTime() / 1000
    expect(await read('one')).toMatchObject({ included_environments: [], last_modified_at })
    expect(await read('two')).toMatchObject({
      included_environments: ['stays'],
      state: true,
      last_modified_at,
    })
    expect((await app.readEvents('environment_members_changed')).map(({ data }) => data)).toEqual([
      { environment_name: 'one', added: [], removed: ['leaves'] },
      { environment_name: 'two', added: [], removed: ['leaves'] },
    ])
    await create('leaves')
    expect((await read('two')).included_environments).toEqual(['stays'])
    await app.member.put('/environments/acme/asleep/unarchive', null)
    expect((await read('asleep')).included_environments).toEqual(['stays'])
  })

  it('keeps the members of a logical environment for when it is unarchived', async () => {
    await create('part')
    await create('whole', 'logical', ['part'])
    await archive('whole')
    await app.member.put('/environments/acme/whole/unarchive', null)
    expect((await read('whole')).included_environments).toEqual(['part'])
  })

  it('changes nothing the second time, and records nothing', async () => {
    await create('twice')
    await archive('twice')
    const before = (await app.readEvents()).length
    const { status, body } = await archive('twice')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await read('twice')).toEqual(archivedEnvironment('twice'))
    expect((await app.readEvents()).length).toBe(before)
  })
})

describe('400', () => {
  it('refuses a body that is not empty', async () => {
    await create('strict')
    const { status, body } = await archive('strict', { force: true })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ force: 'Extra inputs are not permitted [input: true]' })
    expect((await read('strict')).name).toBe('strict')
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await create('guarded')
    const before = await listArchived()
    const { status, body } = await app[role].put('/environments/acme/guarded/archive', null)
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await listArchived()).toEqual(before)
  })
})

describe('404', () => {
  it('names the environment and the org', async () => {
    const { status, body } = await archive('non-existing')
    expect(status).toBe(404)
    expect(body).toEqual({
      message: "Environment named 'non-existing' does not exist for organization 'acme'",
    })
  })

  it('does not reach an environment of another org', async () => {
    await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
    expect((await app.admin.put('/environments/acme/theirs/archive', null)).status).toBe(404)
    expect((await app.outsider.get('/environments/other-corp/theirs')).status).toBe(200)
  })
})
