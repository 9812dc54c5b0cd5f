import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['cluster', 'tasks']) await create(name)
  await create('group', 'logical')
})
afterAll(() => app.stop())

const create = (name: string, type = 'K8S') =>
  app.member.put('/environments/acme', { name, type, description: '' })
const join = (name: string, body: unknown) => app.member.put(`/environments/acme/${name}/join`, body)
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const report = (name: string, state: boolean) =>
  app.sql('update environments set latest_index = latest_index + 1, state = $2 where name = $1', [
    name,
    state,
  ])

async function readStored() {
  return [
    await app.sql('select * from environments order by environment_id'),
    await app.sql('select * from environment_members order by environment_id, member_id'),
    (await app.readEvents()).length,
  ]
}

describe('200', () => {
  it('includes the environment and takes a snapshot', async () => {
    await create('all', 'logical')
    await report('cluster', true)
    app.clock.advance(1000)
    const { status, body } = await join('all', { physical_env_name: 'cluster' })
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await read('all')).toMatchObject({
      included_environments: ['cluster'],
      state: true,
      latest_snapshot_index: 1,
      last_modified_at: app.clock.now().getTime() / 1000,
    })
    await report('tasks', false)
    await join('all', { physical_env_name: 'tasks' })
    expect(await read('all')).toMatchObject({
      included_environments: ['cluster', 'tasks'],
      state: false,
      latest_snapshot_index: 2,
    })
    expect(await app.readEvents('environment_members_changed')).toEqual(
      ['cluster', 'tasks'].map(name => ({
        kind: 'environment_members_changed',
        actor: 'max',
        data: { environment_name: 'all', added: [name], removed: [] },
      })),
    )
  })

  it('stores nothing the second time', async () => {
    await create('twice', 'logical')
    await join('twice', { physical_env_name: 'cluster' })
    const before = await readStored()
    app.clock.advance(1000)
    expect((await join('twice', { physical_env_name: 'cluster' })).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })

  it('finds both by former names', async () => {
    await create('l1', 'logical')
    await create('p1')
    await app.member.put('/environments/acme/l1/rename', { new_name: 'l2' })
    await app.member.put('/environments/acme/p1/rename', { new_name: 'p2' })
    expect((await join('l1', { physical_env_name: 'p1' })).status).toBe(200)
    expect((await read('l2')).included_environments).toEqual(['p2'])
  })

  it('includes each environment once when requests race', async () => {
    await create('raced', 'logical')
    const race = Array.from({ length: 8 }, (_, i) =>
      join('raced', { physical_env_name: i % 2 ? 'cluster' : 'tasks' }),
    )
    expect((await Promise.all(race)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await read('raced')).included_environments.toSorted()).toEqual(['cluster', 'tasks'])
    const events = (await app.readEvents('environment_members_changed')).filter(
      ({ data }) => data.environment_name === 'raced',
    )
    expect(events).toHaveLength(2)
  })
})

describe('200 while reports arrive', () => {
  const makePrint = (n: number) => n.toString(16).padStart(64, '0')
  const run = (name: string, n: number) =>
    app.snapshotter.put(`/environments/acme/${name}/report/server`, {
      artifacts: [{ digests: { file: makePrint(n) }, creationTimestamp: 1 }],
    })

  it('combines the latest state of each member, without deadlocks', async () => {
    const hosts = ['host-1', 'host-2', 'host-3']
    for (const name of hosts) await create(name, 'server')
    for (const name of ['view-1', 'view-2']) await create(name, 'logical')
    const patch = (name: string, included_environments: string[]) =>
      app.member.patch(`/environments/acme/${name}`, { included_environments })
    const all = Array.from({ length: 6 }, (_, n) => [
      ...hosts.map(name => run(name, n + 1)),
      join('view-1', { physical_env_name: hosts[n % 3] }),
      patch('view-2', n % 2 ? hosts : hosts.toReversed().slice(1)),
    ]).flat()
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]))
    await patch('view-2', hosts)
    const stale = await app.sql(`
      select l.name, m.member from environments l
      join snapshots s on s.org_id = l.org_id and s.environment_id = l.environment_id
        and s.snapshot_index = l.latest_index
      cross join jsonb_array_elements(s.members) as m (member)
      join environments p on p.environment_id = (m.member ->> 'environment_id')::uuid
      where l.name like 'view-%' and (m.member ->> 'snapshot_index')::int <> p.latest_index`)
    expect(stale).toEqual([])
    const counted = await app.sql(`
      select l.name, jsonb_array_length(s.members) as members from environments l
      join snapshots s on s.environment_id = l.environment_id and s.snapshot_index = l.latest_index
      where l.name like 'view-%' order by l.name`)
    const circles = 'select deadlocks::int from pg_stat_database where datname = current_database()'
    expect(await app.sql(circles)).toEqual([{ deadlocks: 0 }])
    expect(counted).toEqual([
      { name: 'view-1', members: 3 },
      { name: 'view-2', members: 3 },
    ])
  })
})

describe('400', () => {
  const refused: [string, string, unknown, Record<string, string>][] = [
    ['nothing', 'group', undefined, { body: 'Field required [input: None]' }],
    ['null', 'group', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['no name', 'group', {}, { physical_env_name: 'Field required [input: None]' }],
    [
      'a number',
      'group',
      { physical_env_name: 7 },
      { physical_env_name: 'Input should be a valid string [input: 7]' },
    ],
    [
      'an unknown key',
      'group',
      { physical_env_name: 'cluster', env: 'x' },
      { env: 'Extra inputs are not permitted [input: x]' },
    ],
    [
      'a logical environment',
      'group',
      { physical_env_name: 'group' },
      { physical_env_name: "The environment 'group' is itself logical" },
    ],
    [
      'joining a physical environment',
      'tasks',
      { physical_env_name: 'cluster' },
      { env_name: "Only a logical environment includes others; 'tasks' is of type 'K8S'" },
    ],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, name, sent, errors) => {
    const before = await readStored()
    const { status, body } = await join(name, sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status, body } = await app[role].put('/environments/acme/group/join', {
      physical_env_name: 'cluster',
    })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it.each([
    ['a logical environment that does not exist', 'nothing', 'cluster', "'nothing' does not exist"],
    ['an archived logical environment', 'past-group', 'cluster', "'past-group' has been archived"],
    ['a physical environment that does not exist', 'group', 'nothing', "'nothing' does not exist"],
    ['an archived physical environment', 'group', 'past', "'past' has been archived"],
  ])('names %s and stores nothing', async (_, name, physical_env_name, what) => {
    await create('past')
    await create('past-group', 'logical')
    for (const gone of ['past', 'past-group'])
      await app.member.put(`/environments/acme/${gone}/archive`, null)
    const before = await readStored()
    const { status, body } = await join(name, { physical_env_name })
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Environment named ${what} for organization 'acme'` })
    expect(await readStored()).toEqual(before)
  })

  it('does not include an environment that is archived concurrently', async () => {
    await create('leaving')
    await app.owner.query('begin')
    await app.owner.query(`update environments set archived_at = now() where name = 'leaving'`)
    const waiting = join('group', { physical_env_name: 'leaving' })
    const waits = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    // By default, statistics do not change within a transaction.
    await app.owner.query('set local stats_fetch_consistency = none')
    await expect.poll(async () => (await app.owner.query(waits)).rows[0].n, { interval: 5 }).toBe(1)
    await app.owner.query('commit')
    expect((await waiting).body.message).toContain("'leaving' has been archived")
    expect((await read('group')).included_environments).toEqual([])
  })
})
