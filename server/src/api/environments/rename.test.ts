import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) =>
  app.member.put('/environments/acme', { name, type: 'K8S', description: `made as ${name}` })
const archive = (name: string) => app.member.put(`/environments/acme/${name}/archive`, null)
const rename = (name: string, new_name: string) =>
  app.member.put(`/environments/acme/${name}/rename`, { new_name })
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const makeOriginal = (name: string) => ({ description: `made as ${name}` })

async function readStored() {
  return {
    environments: await app.sql('select * from environments order by environment_id'),
    former: await app.sql('select name, environment_id from former_environment_names order by name'),
    events: (await app.readEvents()).length,
  }
}

describe('200', () => {
  it('is found by the new name and still by the old one', async () => {
    await create('first')
    app.clock.advance(1000)
    const { status, body } = await rename('first', 'second')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    const renamed = {
      name: 'second',
      last_modified_at: app.clock.now().getTime() / 1000,
      ...makeOriginal('first'),
    }
    expect(await read('second')).toMatchObject(renamed)
    expect(await read('first')).toMatchObject(renamed)
    expect(await app.readEvents('environment_renamed')).toEqual([
      { kind: 'environment_renamed', actor: 'max', data: { old_name: 'first', new_name: 'second' } },
    ])
  })

  it('keeps every former name until another environment takes it', async () => {
    await create('a1')
    await rename('a1', 'a2')
    await rename('a2', 'a3')
    expect(await read('a1')).toMatchObject({ name: 'a3', ...makeOriginal('a1') })
    expect(await read('a2')).toMatchObject({ name: 'a3', ...makeOriginal('a1') })
    await app.sql(`update environments set description = 'the oldest' where name = 'a3'`)
    expect((await create('a1')).status).toBe(201)
    expect(await read('a1')).toMatchObject({ name: 'a1', ...makeOriginal('a1') })
    expect(await read('a2')).toMatchObject({ name: 'a3', description: 'the oldest' })
  })

  it('can also take a former name of another environment by renaming', async () => {
    await create('b1')
    await rename('b1', 'b2')
    await create('b3')
    expect((await rename('b3', 'b1')).status).toBe(200)
    expect(await read('b1')).toMatchObject({ name: 'b1', ...makeOriginal('b3') })
    expect(await read('b3')).toMatchObject({ name: 'b1', ...makeOriginal('b3') })
    expect(await read('b2')).toMatchObject({ name: 'b2', ...makeOriginal('b1') })
    expect(await app.sql(`select from former_environment_names where name = 'b1'`)).toEqual([])
  })

  it('renames back and forth, and by a former name', async () => {
    await create('c1')
    await rename('c1', 'c2')
    expect((await rename('c2', 'c1')).status).toBe(200)
    expect(await read('c2')).toMatchObject({ name: 'c1', ...makeOriginal('c1') })
    expect((await rename('c2', 'c3')).status).toBe(200)
    expect(await read('c1')).toMatchObject({ name: 'c3', ...makeOriginal('c1') })
  })

  it('takes the name of an archived environment, which gets another name and keeps its history', async () => {
    await create('d1')
    await archive('d1')
    const archived_at = app.clock.now().getTime() / 1000
    app.clock.advance(5000)
    await create('d2')
    expect((await rename('d2', 'd1')).status).toBe(200)
    expect(await read('d1')).toMatchObject({ name: 'd1', ...makeOriginal('d2') })
    const aside = `d1-archived-at-${archived_at}`
    expect((await read(aside)).message).toContain('has been archived')
    expect((await app.member.put(`/environments/acme/${aside}/unarchive`)).status).toBe(200)
    expect(await read(aside)).toMatchObject(makeOriginal('d1'))
  })

  it('does so twice within the same second', async () => {
    await create('e1')
    for (const successor of ['e2', 'e3', 'e4']) {
      await archive('e1')
      await create(successor)
      app.clock.advance(1)
      expect(await rename(successor, 'e1')).toMatchObject({ status: 200, body: 'OK' })
    }
    expect(await read('e1')).toMatchObject(makeOriginal('e4'))
  })

  it('changes nothing when the name is the same', async () => {
    await create('same')
    const before = await readStored()
    app.clock.advance(1000)
    expect((await rename('same', 'same')).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })
})

describe('400', () => {
  it.each(['new illegal name', 'a~b'])('refuses %j before looking up the environment', async new_name => {
    const before = await readStored()
    const { status, body } = await rename('no-such-environment', new_name)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: {
        new_name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$' [input: ${new_name}]`,
      },
    })
    expect(await readStored()).toEqual(before)
  })

  it.each([
    ['nothing', undefined, { body: 'Field required [input: None]' }],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['no name', {}, { new_name: 'Field required [input: None]' }],
    [
      'an unknown key',
      { new_name: 'x', old_name: 'y' },
      { old_name: 'Extra inputs are not permitted [input: y]' },
    ],
  ])('refuses %s and stores nothing', async (_, sent, errors) => {
    await create('first')
    const before = await readStored()
    const { status, body } = await app.member.put('/environments/acme/first/rename', sent)
    expect(status).toBe(400)
    expect(body.errors).toEqual(errors)
    expect(await readStored()).toEqual(before)
  })

  it('refuses the name of a live environment and stores nothing', async () => {
    await create('f1')
    await create('f2')
    const before = await readStored()
    const { status, body } = await rename('f1', 'f2')
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: { new_name: "An environment named 'f2' already exists in organization 'acme'" },
    })
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await create('guarded')
    const before = await readStored()
    const { status, body } = await app[role].put('/environments/acme/guarded/rename', { new_name: 'mine' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it('names the environment and the org', async () => {
    const { status, body } = await rename('nothing', 'something')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nothing' does not exist for organization 'acme'" })
  })

  it('does not rename an archived environment, not even by a former name', async () => {
    await create('g1')
    await rename('g1', 'g2')
    await archive('g2')
    const before = await readStored()
    for (const name of ['g1', 'g2']) {
      const { status, body } = await rename(name, 'g3')
      expect(status).toBe(404)
      expect(body).toEqual({
        message: `Environment named '${name}' has been archived for organization 'acme'`,
      })
    }
    expect(await readStored()).toEqual(before)
  })
})
