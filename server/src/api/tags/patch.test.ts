import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
})
afterAll(() => app.stop())

const patch = (body: unknown, type = 'flow', name = 'ci') =>
  app.member.patch(`/tags/acme/${type}/${name}`, body)
const readTags = async (name: string) => (await app.reader.get(`/flows/acme/${name}`)).body.tags
const createEnvironment = (name: string) => app.member.put('/environments/acme', { name, type: 'K8S' })
const createFlow = (name: string) => app.member.put('/flows/acme', { name, description: '' })

async function readStored() {
  return [
    await app.sql('select name, tags, last_modified_at from flows'),
    await app.sql('select name, tags, last_modified_at from environments'),
    (await app.readEvents()).length,
  ]
}

describe('200', () => {
  it('sets, overwrites and removes', async () => {
    await createFlow('tagged')
    const { status, body } = await patch(
      { set_tags: { risk: 'high', team: 'blue' }, remove_tags: [] },
      'flow',
      'tagged',
    )
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await readTags('tagged')).toEqual({ risk: 'high', team: 'blue' })
    app.clock.advance(1000)
    await patch({ set_tags: { risk: 'low' }, remove_tags: ['team'] }, 'flow', 'tagged')
    expect(await readTags('tagged')).toEqual({ risk: 'low' })
    const { last_modified_at } = (await app.reader.get('/flows/acme/tagged')).body
    expect(last_modified_at).toBe(app.clock.now().getTime() / 1000)
    expect((await app.readEvents('flow_tagged')).slice(-2)).toEqual([
      {
        kind: 'flow_tagged',
        actor: 'max',
        data: { set_tags: { risk: 'high', team: 'blue' }, remove_tags: [] },
      },
      { kind: 'flow_tagged', actor: 'max', data: { set_tags: { risk: 'low' }, remove_tags: ['team'] } },
    ])
  })

  it.each([
    ['removing a missing tag', { set_tags: {}, remove_tags: ['never'] }],
    ['null for both', { set_tags: null, remove_tags: null }],
    ['nothing', {}],
  ])('accepts %s', async (_, body) => {
    await patch({ set_tags: { kept: 'yes' } })
    expect((await patch(body)).status).toBe(200)
    expect(await readTags('ci')).toEqual({ kept: 'yes' })
  })

  it('accepts the plural, a former name, and property names of objects', async () => {
    await createFlow('former')
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    const words = { constructor: 'a', toString: 'b', 'x-1_2.3~4': '', '0': 'zero' }
    expect((await patch({ set_tags: words }, 'flows', 'former')).status).toBe(200)
    expect(await readTags('current')).toEqual(words)
  })

  it('loses no tag in concurrent requests', async () => {
    await createFlow('raced')
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(keys.map(key => patch({ set_tags: { [key]: 'x' } }, 'flow', 'raced')))
    expect(Object.keys(await readTags('raced')).toSorted()).toEqual(keys)
  })

  it('finds trails by the tag', async () => {
    await createFlow('found')
    await app.member.put('/trails/acme/found', { name: 'run' })
    await patch({ set_tags: { find: 'me' } }, 'flow', 'found')
    expect((await app.reader.get('/trails/acme?flow_tag=find%3Dme')).body.data).toMatchObject([
      { name: 'run' },
    ])
  })
})

describe('200 for a repository', () => {
  it.each(['repo', 'repos'])('sets and removes under %s, by the id', async type => {
    const name = `acme/${type}`
    await app.sql(
      `insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path,
                          additional_info, created_at, last_modified_at)
       select org_id, (left(gen_random_uuid()::text, 32) || '0000')::uuid, 'github', $1, $1, '', '', '[]', '{}',
              now(), now()
       from orgs where name = 'acme'`,
      [name],
    )
    const { id } = (await app.reader.get(`/repos/acme/${name}`)).body
    const { status, body } = await patch({ set_tags: { tier: '1', team: 'blue' } }, type, id)
    expect(status).toBe(200)
    expect(body).toBe('OK')
    await patch({ remove_tags: ['team'] }, type, id)
    expect((await app.reader.get(`/repos/acme/${name}`)).body).toMatchObject({
      tags: { tier: '1' },
      last_modified_at: app.clock.now().getTime() / 1000,
    })
    expect((await app.readEvents('repo_tagged')).slice(-2)).toEqual([
      {
        kind: 'repo_tagged',
        actor: 'max',
        data: { repo_id: id, repo_name: name, set_tags: { tier: '1', team: 'blue' }, remove_tags: [] },
      },
      {
        kind: 'repo_tagged',
        actor: 'max',
        data: { repo_id: id, repo_name: name, set_tags: {}, remove_tags: ['team'] },
      },
    ])
  })
})

describe('200 for a control', () => {
  it.each(['control', 'controls'])(
    'sets and removes under %s, by the identifier, and creates no version',
    async type => {
      const identifier = `of-${type}`
      await addControl(app, identifier)
      app.clock.advance(1000)
      const { status, body } = await patch({ set_tags: { framework: 'iso', tier: '1' } }, type, identifier)
      expect(status).toBe(200)
      expect(body).toBe('OK')
      await patch({ remove_tags: ['tier', 'never'] }, type, identifier)
      expect((await app.reader.get(`/controls/acme/${identifier}`)).body).toMatchObject({
        tags: { framework: 'iso' },
        version: 1,
        last_modified_at: app.clock.now().getTime() / 1000,
      })
      expect((await app.reader.get(`/controls/acme/${identifier}/versions`)).body.versions).toHaveLength(1)
      expect((await app.readEvents('control_tagged')).slice(-2)).toEqual([
        {
          kind: 'control_tagged',
          actor: 'max',
          data: { identifier, set_tags: { framework: 'iso', tier: '1' }, remove_tags: [] },
        },
        {
          kind: 'control_tagged',
          actor: 'max',
          data: { identifier, set_tags: {}, remove_tags: ['tier', 'never'] },
        },
      ])
      const about = `select distinct c.identifier from events t join controls c using (org_id, control_id)
      where t.kind = 'control_tagged' and c.identifier = $1`
      expect(await app.sql(about, [identifier])).toEqual([{ identifier }])
    },
  )
})

describe('200 for an environment', () => {
  it.each(['env', 'environment', 'environments'])('sets and removes under %s', async type => {
    const name = `of-${type}`
    await createEnvironment(name)
    app.clock.advance(1000)
    const { status, body } = await patch({ set_tags: { tier: '1', team: 'blue' } }, type, name)
    expect(status).toBe(200)
    expect(body).toBe('OK')
    await patch({ set_tags: { tier: '2' }, remove_tags: ['team', 'never'] }, type, name)
    expect((await app.reader.get(`/environments/acme/${name}`)).body).toMatchObject({
      tags: { tier: '2' },
      last_modified_at: app.clock.now().getTime() / 1000,
    })
    expect((await app.readEvents('environment_tagged')).slice(-2)).toEqual([
      {
        kind: 'environment_tagged',
        actor: 'max',
        data: { set_tags: { tier: '1', team: 'blue' }, remove_tags: [] },
      },
      {
        kind: 'environment_tagged',
        actor: 'max',
        data: { set_tags: { tier: '2' }, remove_tags: ['team', 'never'] },
      },
    ])
    const about = `select distinct e.name from events t join environments e using (org_id, environment_id)
      where t.kind = 'environment_tagged' and e.name = $1`
    expect(await app.sql(about, [name])).toEqual([{ name }])
  })

  it('accepts a former name, and loses no tag in concurrent requests', async () => {
    await createEnvironment('was')
    await app.member.put('/environments/acme/was/rename', { new_name: 'is' })
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(keys.map(key => patch({ set_tags: { [key]: 'x' } }, 'env', 'was')))
    const { tags } = (await app.reader.get('/environments/acme/is')).body
    expect(Object.keys(tags).toSorted()).toEqual(keys)
  })
})

describe('400', () => {
  const pattern = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$`
  it.each([
    [
      'tags that are a list',
      { set_tags: [] },
      { set_tags: 'Input should be a valid dictionary [input: []]' },
    ],
    [
      'a key list that is text',
      { remove_tags: 'a' },
      { remove_tags: 'Input should be a valid list [input: a]' },
    ],
    ['a number', { set_tags: { a: 3 } }, { 'set_tags.a': 'Input should be a valid string [input: 3]' }],
    [
      'an illegal key',
      { set_tags: { '-a': 'x' } },
      { 'set_tags.-a': `String should match pattern '${pattern}' [input: -a]` },
    ],
    ['an unknown key', { tags: {} }, { tags: 'Extra inputs are not permitted [input: {}]' }],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
  ])('refuses %s and stores nothing', async (_, sent, errors) => {
    const before = await readStored()
    const { status, body } = await patch(sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await readStored()).toEqual(before)
  })

  it('refuses one tag too many', async () => {
    await createFlow('full')
    const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key-${i}`, 'x']))
    expect((await patch({ set_tags: hundred }, 'flow', 'full')).status).toBe(200)
    const before = await readStored()
    const { status, body } = await patch({ set_tags: { extra: 'x' } }, 'flow', 'full')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ set_tags: 'A resource can have at most 100 tags' })
    expect(await readStored()).toEqual(before)
    const swap = { set_tags: { extra: 'x' }, remove_tags: ['key-0'] }
    expect((await patch(swap, 'flow', 'full')).status).toBe(200)
  })

  it('refuses a kind of resource that has no tags', async () => {
    const { status, body } = await patch({ set_tags: {} }, 'trail')
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      resource_type:
        "Input should be 'flow', 'flows', 'env', 'environment', 'environments', 'repo', 'repos', 'control' or 'controls' [input: trail]",
    })
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status, body } = await app[role].patch('/tags/acme/flow/ci', { set_tags: { mine: 'x' } })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it('names the flow and the org', async () => {
    const { status, body } = await patch({ set_tags: { a: 'b' } }, 'flow', 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })

  it.each(['0190a1b2-c3d4-7e5f-8a6b-0c1d2e3f', 'acme-backend'])('names the repository %s', async id => {
    const { status, body } = await patch({ set_tags: { a: 'b' } }, 'repo', id)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Repo '${id}' not found` })
  })

  it('names an environment that is missing or archived, and stores nothing', async () => {
    await createEnvironment('past')
    await app.member.put('/environments/acme/past/archive', null)
    const before = await readStored()
    const missing = await patch({ set_tags: { a: 'b' } }, 'env', 'nothing')
    expect(missing.status).toBe(404)
    expect(missing.body.message).toBe("Environment named 'nothing' does not exist for organization 'acme'")
    const past = await patch({ set_tags: { a: 'b' } }, 'environment', 'past')
    expect(past.status).toBe(404)
    expect(past.body.message).toBe("Environment named 'past' has been archived for organization 'acme'")
    expect(await readStored()).toEqual(before)
  })

  it.each(['control', 'controls'])('names the %s, in quotes as existing clients know it', async type => {
    const before = await readStored()
    const { status, body } = await patch({ set_tags: { a: 'b' } }, type, 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: `"Control 'nothing' does not exist in organization 'acme'"` })
    expect(await readStored()).toEqual(before)
  })

  it('does not find an archived flow', async () => {
    await createFlow('archived')
    await app.member.put('/flows/acme/archived/archive', null)
    expect((await patch({ set_tags: { a: 'b' } }, 'flow', 'archived')).status).toBe(404)
  })
})
