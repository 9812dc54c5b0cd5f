import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const noFlow = (name: string) => ({ message: `Flow named '${name}' does not exist for organization 'acme'` })

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) => app.member.put('/flows/acme', { name, description: `made as ${name}` })
const archive = (name: string) => app.member.put(`/flows/acme/${name}/archive`, null)
const rename = (name: string, new_name: string) => app.member.put(`/flows/acme/${name}/rename`, { new_name })
const readFlow = async (name: string) => (await app.reader.get(`/flows/acme/${name}`)).body
const readStatus = async (name: string) => (await app.reader.get(`/flows/acme/${name}`)).status

async function readStored() {
  return {
    flows: await app.sql('select flow_id, name, archived_at, last_modified_at from flows order by flow_id'),
    former: await app.sql('select name, flow_id from former_flow_names order by name'),
    events: (await app.readEvents()).length,
  }
}

describe('200', () => {
  it('is found by the new name and still by the old one', async () => {
    await create('first')
    const { id } = await readFlow('first')
    app.clock.advance(1000)
    const { status, body } = await rename('first', 'second')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    const now = app.clock.now().getTime() / 1000
    expect(await readFlow('second')).toMatchObject({ id, name: 'second', last_modified_at: now })
    expect(await readFlow('first')).toMatchObject({ id, name: 'second' })
    expect(await app.readEvents('flow_renamed')).toEqual([
      { kind: 'flow_renamed', actor: 'max', data: { old_name: 'first', new_name: 'second' } },
    ])
  })

  it('lets trails be created and read under the old name', async () => {
    await create('pipeline')
    await rename('pipeline', 'pipeline-2')
    expect((await app.member.put('/trails/acme/pipeline', { name: 'run' })).status).toBe(201)
    const { body } = await app.reader.get('/trails/acme/pipeline-2/run')
    expect(body).toMatchObject({ name: 'run', flow_name: 'pipeline-2' })
    expect((await app.reader.get('/trails/acme/pipeline/run')).body).toEqual(body)
  })

  it('keeps every former name until another flow takes it', async () => {
    await create('a1')
    await rename('a1', 'a2')
    await rename('a2', 'a3')
    const { id } = await readFlow('a3')
    expect(await readFlow('a1')).toMatchObject({ id, name: 'a3' })
    expect(await readFlow('a2')).toMatchObject({ id, name: 'a3' })
    expect((await create('a1')).status).toBe(201)
    expect(await readFlow('a1')).toMatchObject({ name: 'a1', description: 'made as a1' })
    expect((await readFlow('a1')).id).not.toBe(id)
    expect(await readFlow('a2')).toMatchObject({ id })
  })

  it('can also take a former name of another flow by renaming', async () => {
    await create('b1')
    await rename('b1', 'b2')
    await create('b3')
    const { id } = await readFlow('b3')
    expect((await rename('b3', 'b1')).status).toBe(200)
    expect(await readFlow('b1')).toMatchObject({ id, name: 'b1' })
    expect(await readFlow('b3')).toMatchObject({ id, name: 'b1' })
    expect((await readFlow('b2')).id).not.toBe(id)
  })

  it.each(['created', 'renamed'])(
    'does not get a name back when the flow that took it (%s) is archived',
    async how => {
      const name = `lost-${how}`
      await create(name)
      await rename(name, `${name}-2`)
      if (how === 'created') await create(name)
      else {
        await create('taker')
        await rename('taker', name)
      }
      await archive(name)
      expect(await readStatus(name)).toBe(404)
      expect(await readStatus(`${name}-2`)).toBe(200)
    },
  )

  it('renames back and forth, and by a former name', async () => {
    await create('c1')
    const { id } = await readFlow('c1')
    await rename('c1', 'c2')
    expect((await rename('c2', 'c1')).status).toBe(200)
    expect(await readFlow('c1')).toMatchObject({ id, name: 'c1' })
    expect(await readFlow('c2')).toMatchObject({ id, name: 'c1' })
    expect((await rename('c2', 'c3')).status).toBe(200)
    expect(await readFlow('c1')).toMatchObject({ id, name: 'c3' })
  })

  it('takes the name of an archived flow, which gets another name and keeps its history', async () => {
    await create('d1')
    const { id } = await readFlow('d1')
    await archive('d1')
    const archived_at = app.clock.now().getTime() / 1000
    app.clock.advance(5000)
    await create('d2')
    expect((await rename('d2', 'd1')).status).toBe(200)
    expect(await readFlow('d1')).toMatchObject({ name: 'd1', description: 'made as d2' })
    const aside = `d1-archived-at-${archived_at}`
    expect(await readStatus(aside)).toBe(404)
    expect((await create(aside)).status).toBe(200)
    expect(await readFlow(aside)).toMatchObject({ id })
  })

  it('does so twice within the same second', async () => {
    await create('e1')
    for (const successor of ['e2', 'e3', 'e4']) {
      await archive('e1')
      await create(successor)
      app.clock.advance(1)
      expect(await rename(successor, 'e1')).toMatchObject({ status: 200, body: 'OK' })
    }
    expect(await readFlow('e1')).toMatchObject({ description: 'made as e4' })
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
  it('refuses an illegal name before looking up the flow', async () => {
    const before = await readStored()
    const { status, body } = await rename('no-such-flow', 'new illegal name')
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: {
        new_name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: new illegal name]`,
      },
    })
    expect(await readStored()).toEqual(before)
  })

  it.each([
    ['nothing', undefined, { body: 'Field required [input: None]' }],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['no name', {}, { new_name: 'Field required [input: None]' }],
  ])('refuses %s', async (_, sent, errors) => {
    const { status, body } = await app.member.put('/flows/acme/first/rename', sent)
    expect(status).toBe(400)
    expect(body.errors).toEqual(errors)
  })

  it('refuses the name of a live flow and stores nothing', async () => {
    await create('f1')
    await create('f2')
    const before = await readStored()
    const { status, body } = await rename('f1', 'f2')
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: { new_name: "A flow named 'f2' already exists in organization 'acme'" },
    })
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await create('guarded')
    const before = await readStored()
    const { status, body } = await app[role].put('/flows/acme/guarded/rename', { new_name: 'mine' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it('names the flow and the org', async () => {
    const { status, body } = await rename('nothing', 'something')
    expect(status).toBe(404)
    expect(body).toEqual(noFlow('nothing'))
  })

  it('does not find an archived flow, not even by a former name', async () => {
    await create('g1')
    await rename('g1', 'g2')
    await archive('g2')
    for (const name of ['g2', 'g1']) {
      const { status, body } = await rename(name, 'g3')
      expect(status).toBe(404)
      expect(body.message).toBe(`Flow named '${name}' has been archived for organization 'acme'`)
    }
  })
})
