import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['part-1', 'part-2']) await create(name)
})
afterAll(() => app.stop())

const create = (name: string, type = 'K8S') =>
  app.member.put('/environments/acme', { name, type, description: `made as ${name}` })
const patch = (name: string, body: unknown) => app.member.patch(`/environments/acme/${name}`, body)
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const getNow = () => app.clock.now().getTime() / 1000

async function readStored() {
  return [
    await app.sql('select * from environments order by environment_id'),
    await app.sql('select * from environment_members order by environment_id, member_id'),
    (await app.readEvents()).length,
  ]
}

describe('200', () => {
  it('changes only the fields that are sent', async () => {
    await create('cluster')
    const before = await read('cluster')
    app.clock.advance(1000)
    const { status, body } = await patch('cluster', { include_scaling: true })
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await read('cluster')).toEqual({ ...before, include_scaling: true, last_modified_at: getNow() })
    expect(await app.readEvents('environment_updated')).toEqual([
      {
        kind: 'environment_updated',
        actor: 'max',
        data: { environment_name: 'cluster', changes: ['include_scaling'], revived: false },
      },
    ])
  })

  it('clears the description with an empty one', async () => {
    await create('described')
    expect((await patch('described', { description: '' })).status).toBe(200)
    expect((await read('described')).description).toBe('')
  })

  it.each([
    ['nothing', {}],
    ['nulls', { included_environments: null, policies: null }],
    [
      'the current values',
      { description: 'made as same', include_scaling: false, included_environments: [], policies: [] },
    ],
  ])('stores nothing for %s', async (_, body) => {
    await create('same')
    const before = await readStored()
    app.clock.advance(1000)
    expect((await patch('same', body)).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })

  it('replaces the members of a logical environment and takes a snapshot', async () => {
    await create('whole', 'logical')
    await app.sql(`update environments set latest_index = 3, state = false where name = 'part-1'`)
    await patch('whole', { included_environments: ['part-1', 'part-2'] })
    expect(await read('whole')).toMatchObject({
      description: 'made as whole',
      included_environments: ['part-1', 'part-2'],
      state: false,
      latest_snapshot_index: 1,
    })
    app.clock.advance(1000)
    await patch('whole', { included_environments: ['part-2'], description: 'half' })
    expect(await read('whole')).toMatchObject({
      description: 'half',
      included_environments: ['part-2'],
      state: null,
      latest_snapshot_index: 2,
      last_modified_at: getNow(),
    })
    expect((await app.readEvents('environment_members_changed')).map(({ data }) => data)).toEqual([
      { environment_name: 'whole', added: ['part-1', 'part-2'], removed: [] },
      { environment_name: 'whole', added: [], removed: ['part-1'] },
    ])
  })

  it('finds the environment by a former name', async () => {
    await create('former')
    await app.member.put('/environments/acme/former/rename', { new_name: 'current' })
    expect((await patch('former', { description: 'found' })).status).toBe(200)
    expect((await read('current')).description).toBe('found')
  })

  it('keeps the members when two requests exchange them', async () => {
    await create('left', 'logical')
    await create('right', 'logical')
    const orders = [
      ['part-1', 'part-2'],
      ['part-2', 'part-1'],
    ]
    const race = Array.from({ length: 8 }, (_, i) =>
      patch(i % 2 ? 'left' : 'right', { included_environments: orders[i % 4 > 1 ? 0 : 1] }),
    )
    expect((await Promise.all(race)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    for (const name of ['left', 'right']) {
      expect((await read(name)).included_environments.toSorted()).toEqual(['part-1', 'part-2'])
    }
  })
})

describe('400', () => {
  const refused: [string, unknown, Record<string, string>][] = [
    ['another name', { name: 'x' }, { name: 'Extra inputs are not permitted [input: x]' }],
    ['another type', { type: 'ECS' }, { type: 'Extra inputs are not permitted [input: ECS]' }],
    [
      'a description that is null',
      { description: null },
      { description: 'Input should be a valid string [input: None]' },
    ],
    [
      'a switch that is text',
      { include_scaling: 'on' },
      { include_scaling: 'Input should be a valid boolean [input: on]' },
    ],
    [
      'members that are text',
      { included_environments: 'a', policies: 'b' },
      {
        included_environments: 'Input should be a valid list [input: a]',
        policies: 'Input should be a valid list [input: b]',
      },
    ],
    [
      'members of a physical environment',
      { description: 'x', included_environments: ['part-1'] },
      { included_environments: "Only a logical environment includes others; 'target' is of type 'K8S'" },
    ],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['nothing', undefined, { body: 'Field required [input: None]' }],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, sent, errors) => {
    await create('target')
    const before = await readStored()
    const { status, body } = await patch('target', sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await readStored()).toEqual(before)
  })

  it.each([
    [
      'a logical member',
      { included_environments: ['part-1', 'group'] },
      { 'included_environments[1]': "The environment 'group' is itself logical" },
    ],
    [
      'policies',
      { policies: ['strict'] },
      {
        policies: "The logical environment 'group' is evaluated by the policies of its members",
      },
    ],
  ])('refuses %s of a logical environment', async (_, sent, errors) => {
    await create('group', 'logical')
    const before = await readStored()
    const { status, body } = await patch('group', sent)
    expect(status).toBe(400)
    expect(body.errors).toEqual(errors)
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it('lets a snapshotter change only what their PUT may change', async () => {
    await create('reported')
    await app.member.put('/environments/acme', { name: 'all-of-it', type: 'logical' })
    await app.admin.put('/policies/acme/rules', { policy_yaml: '_schema: https://waybill.example/v1\n' })
    const change = (name: string, body: unknown) => app.snapshotter.patch(`/environments/acme/${name}`, body)
    expect((await change('reported', { description: 'set by its reporter' })).status).toBe(200)
    expect((await read('reported')).description).toBe('set by its reporter')
    const before = await readStored()
    expect((await change('reported', { policies: ['rules'] })).status).toBe(403)
    expect((await change('all-of-it', { included_environments: ['part-1'] })).status).toBe(403)
    expect(await readStored()).toEqual(before)
  })

  it('refuses a reader and stores nothing', async () => {
    const before = await readStored()
    const { status, body } = await app.reader.patch('/environments/acme/part-1', { description: 'mine' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it('names the environment that is missing or archived', async () => {
    await create('gone')
    await app.member.put('/environments/acme/gone/archive', null)
    expect(await patch('nothing', { description: 'x' })).toMatchObject({
      status: 404,
      body: { message: "Environment named 'nothing' does not exist for organization 'acme'" },
    })
    expect(await patch('gone', { description: 'x' })).toMatchObject({
      status: 404,
      body: { message: "Environment named 'gone' has been archived for organization 'acme'" },
    })
  })

  it('names an unknown member and an unknown policy, and stores nothing', async () => {
    await create('group', 'logical')
    const before = await readStored()
    const member = await patch('group', { description: 'x', included_environments: ['part-1', 'nowhere'] })
    expect(member.status).toBe(404)
    expect(member.body.message).toBe("Environment named 'nowhere' does not exist for organization 'acme'")
    const policy = await patch('part-1', { description: 'x', policies: ['no-such-policy'] })
    expect(policy.status).toBe(404)
    expect(policy.body.message).toContain('no-such-policy')
    expect(await readStored()).toEqual(before)
  })
})
