import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../../../test/harness.ts'

const NAME_PATTERN = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`
const TYPES = "'K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run' or 'logical'"

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const put = (body: unknown) => app.snapshotter.put('/environments/acme', body)
const archive = (name: string) => app.member.put(`/environments/acme/${name}/archive`, null)
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const now = () => app.clock.now().getTime() / 1000

async function stored() {
  return [
    await app.sql('select * from environments order by environment_id'),
    await app.sql('select * from former_environment_names order by name'),
    await app.sql('select * from environment_members order by environment_id, member_id'),
    (await app.events()).length,
  ]
}

const eventsAbout = async (kind: string, environment_name: string) =>
  (await app.events(kind)).filter(event => event.data.environment_name === environment_name)

/** As if something ran there and complied. */
const report = (name: string) =>
  app.sql('update environments set latest_index = 1, state = true, last_reported_at = $2 where name = $1', [
    name,
    app.clock.now(),
  ])

describe('201', () => {
  it('creates an environment', async () => {
    const { status, body } = await put({ name: 'new', type: 'K8S', description: 'The cluster' })
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect(await read('new')).toEqual({
      org: 'acme',
      name: 'new',
      type: 'K8S',
      description: 'The cluster',
      last_modified_at: now(),
      last_reported_at: null,
      last_changed_at: null,
      state: null,
      include_scaling: false,
      require_provenance: false,
      tags: {},
      policies: [],
      included_environments: null,
      latest_snapshot_index: 0,
      created_by: 'sam',
      created_at: now(),
      html_url: 'http://waybill.test/acme/environments/new',
    })
    expect(await eventsAbout('environment_created', 'new')).toEqual([
      { kind: 'environment_created', actor: 'sam', data: { environment_name: 'new', type: 'K8S' } },
    ])
  })

  it.each(['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run', 'logical'])(
    'takes the type %s, a null and an empty list',
    async type => {
      const body = { name: `of-${type}`, type, description: '', included_environments: [], policies: null }
      expect((await put(body)).status).toBe(201)
      const included_environments = type === 'logical' ? [] : null
      expect(await read(`of-${type}`)).toMatchObject({ type, included_environments, policies: [] })
      const nulls = { name: `null-${type}`, type, included_environments: null, policies: [] }
      expect((await put(nulls)).status).toBe(201)
    },
  )

  it('keeps the switches', async () => {
    await put({ name: 'switched', type: 'ECS', include_scaling: true, require_provenance: true })
    expect(await read('switched')).toMatchObject({ include_scaling: true, require_provenance: true })
  })

  it('combines environments, each once, also by a former name', async () => {
    await put({ name: 'part-1', type: 'K8S' })
    await put({ name: 'part-2', type: 'docker' })
    await app.member.put('/environments/acme/part-2/rename', { new_name: 'part-3' })
    await report('part-1')
    const included_environments = ['part-3', 'part-1', 'part-2', 'part-1']
    const { status } = await put({ name: 'whole', type: 'logical', included_environments })
    expect(status).toBe(201)
    expect(await read('whole')).toMatchObject({
      included_environments: ['part-1', 'part-3'],
      latest_snapshot_index: 1,
      last_reported_at: null,
    })
    const [created] = await eventsAbout('environment_created', 'whole')
    expect(created?.data).toEqual({
      environment_name: 'whole',
      type: 'logical',
      included_environments: ['part-1', 'part-3'],
    })
    expect(await eventsAbout('environment_members_changed', 'whole')).toEqual([])
  })

  it('takes over a former name', async () => {
    await put({ name: 'was', type: 'K8S', description: 'renamed' })
    await app.member.put('/environments/acme/was/rename', { new_name: 'is' })
    expect((await put({ name: 'was', type: 'ECS', description: 'new' })).status).toBe(201)
    expect(await read('was')).toMatchObject({ name: 'was', type: 'ECS', description: 'new' })
    expect(await read('is')).toMatchObject({ name: 'is', type: 'K8S' })
    expect(await app.sql(`select from former_environment_names where name = 'was'`)).toEqual([])
  })

  it.each(['K8S', 'logical'])('creates once when identical requests race, of type %s', async type => {
    const name = `raced-${type}`
    await put({ name: 'raced-part', type: 'server' })
    const included_environments = type === 'logical' ? ['raced-part'] : null
    const race = Array.from({ length: 8 }, () =>
      put({ name, type, description: 'same', included_environments }),
    )
    const statuses = (await Promise.all(race)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await eventsAbout('environment_created', name)).toHaveLength(1)
    expect(await eventsAbout('environment_members_changed', name)).toEqual([])
  })
})

describe('200', () => {
  it('overwrites what is sent and leaves the rest, also for an empty description', async () => {
    await put({ name: 'kept', type: 'K8S', description: 'first', include_scaling: true })
    const before = await read('kept')
    app.clock.advance(1000)
    const { status, body } = await app.admin.put('/environments/acme', {
      name: 'kept',
      type: 'K8S',
      description: '',
      require_provenance: true,
    })
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await read('kept')).toEqual({ ...before, require_provenance: true, last_modified_at: now() })
    expect(await eventsAbout('environment_updated', 'kept')).toEqual([
      {
        kind: 'environment_updated',
        actor: 'ada',
        data: { environment_name: 'kept', changes: ['require_provenance'], revived: false },
      },
    ])
  })

  it('names every change in the event', async () => {
    await put({ name: 'changed', type: 'K8S', description: 'first' })
    await put({
      name: 'changed',
      type: 'K8S',
      description: 'second',
      include_scaling: true,
      require_provenance: true,
    })
    const [event] = await eventsAbout('environment_updated', 'changed')
    expect(event?.data.changes).toEqual(['description', 'include_scaling', 'require_provenance'])
  })

  it('stores nothing when nothing changes', async () => {
    const physical = {
      name: 'same',
      type: 'K8S',
      description: 'same',
      included_environments: null,
      policies: null,
    }
    const logical = { name: 'same-all', type: 'logical', included_environments: ['same'] }
    await put(physical)
    await put(logical)
    const before = await stored()
    app.clock.advance(1000)
    expect((await put(physical)).status).toBe(200)
    expect((await put(logical)).status).toBe(200)
    expect(await stored()).toEqual(before)
  })

  it('replaces the members of a logical environment and takes a snapshot', async () => {
    for (const name of ['m1', 'm2', 'm3']) await put({ name, type: 'K8S' })
    await app.member.put('/environments/acme', {
      name: 'team',
      type: 'logical',
      description: 'x',
      included_environments: ['m1', 'm2'],
    })
    await report('m3')
    app.clock.advance(1000)
    const included_environments = ['m3', 'm2']
    expect(
      (await app.member.put('/environments/acme', { name: 'team', type: 'logical', included_environments }))
        .status,
    ).toBe(200)
    expect(await read('team')).toMatchObject({
      description: 'x',
      included_environments: ['m2', 'm3'],
      last_modified_at: now(),
      latest_snapshot_index: 1,
    })
    expect(await eventsAbout('environment_members_changed', 'team')).toEqual([
      {
        kind: 'environment_members_changed',
        actor: 'max',
        data: { environment_name: 'team', added: ['m3'], removed: ['m1'] },
      },
    ])
    expect(await eventsAbout('environment_updated', 'team')).toEqual([])
    await app.member.put('/environments/acme', { name: 'team', type: 'logical', included_environments: null })
    expect((await read('team')).included_environments).toEqual(['m2', 'm3'])
    await app.member.put('/environments/acme', { name: 'team', type: 'logical', included_environments: [] })
    expect((await read('team')).included_environments).toEqual([])
  })

  it('brings an archived environment back with what it was', async () => {
    await put({ name: 'back', type: 'K8S', description: 'kept' })
    await app.member.patch('/tags/acme/env/back', { set_tags: { team: 'blue' } })
    await report('back')
    const before = await read('back')
    await archive('back')
    app.clock.advance(1000)
    expect((await put({ name: 'back', type: 'K8S', description: '' })).status).toBe(200)
    expect(await read('back')).toEqual({ ...before, last_modified_at: now() })
    const [event] = await eventsAbout('environment_updated', 'back')
    expect(event?.data).toEqual({ environment_name: 'back', changes: [], revived: true })
  })

  it('combines again what an archived logical environment missed', async () => {
    await put({ name: 'slept-part', type: 'K8S' })
    await put({ name: 'slept', type: 'logical', included_environments: ['slept-part'] })
    await archive('slept')
    await report('slept-part')
    expect((await put({ name: 'slept', type: 'logical' })).status).toBe(200)
    expect(await read('slept')).toMatchObject({
      included_environments: ['slept-part'],
      latest_snapshot_index: 1,
      state: true,
    })
  })
})

describe('400', () => {
  const refused: [string, unknown, Record<string, string>][] = [
    [
      'an illegal name',
      { name: 'foo bar', type: 'K8S', description: '' },
      { name: `String should match pattern '${NAME_PATTERN}' [input: foo bar]` },
    ],
    [
      'a name that a flow may have',
      { name: 'foo~bar', type: 'K8S' },
      { name: `String should match pattern '${NAME_PATTERN}' [input: foo~bar]` },
    ],
    [
      'a name of 256 characters',
      { name: 'n'.repeat(256), type: 'K8S' },
      { name: `String should have at most 255 characters [input: ${'n'.repeat(100)}…]` },
    ],
    ['no name', { type: 'K8S' }, { name: 'Field required [input: None]' }],
    ['no type', { name: 'bad' }, { type: 'Field required [input: None]' }],
    [
      'a type in small letters',
      { name: 'bad', type: 'k8s' },
      { type: `Input should be ${TYPES} [input: k8s]` },
    ],
    [
      'an unknown type',
      { name: 'bad', type: 'unknown' },
      { type: `Input should be ${TYPES} [input: unknown]` },
    ],
    [
      'a description that is null',
      { name: 'bad', type: 'K8S', description: null },
      { description: 'Input should be a valid string [input: None]' },
    ],
    [
      'switches that are text',
      { name: 'bad', type: 'K8S', include_scaling: 'yes', require_provenance: 1 },
      {
        include_scaling: 'Input should be a valid boolean [input: yes]',
        require_provenance: 'Input should be a valid boolean [input: 1]',
      },
    ],
    [
      'members that are text',
      { name: 'bad', type: 'logical', included_environments: 'cluster', policies: 'strict' },
      {
        included_environments: 'Input should be a valid list [input: cluster]',
        policies: 'Input should be a valid list [input: strict]',
      },
    ],
    [
      'a member that is a number',
      { name: 'bad', type: 'logical', included_environments: ['cluster', 7] },
      { 'included_environments[1]': 'Input should be a valid string [input: 7]' },
    ],
    [
      'members of a physical environment',
      { name: 'bad', type: 'K8S', included_environments: ['cluster'] },
      { included_environments: "Only a logical environment includes others; 'bad' is of type 'K8S'" },
    ],
    [
      'policies of a logical environment',
      { name: 'bad', type: 'logical', policies: ['strict'] },
      { policies: "The logical environment 'bad' is judged by the policies of its members" },
    ],
    [
      'a logical member',
      { name: 'bad', type: 'logical', included_environments: ['cluster', 'group'] },
      { 'included_environments[1]': "The environment 'group' is itself logical" },
    ],
    [
      'itself as a member',
      { name: 'group', type: 'logical', included_environments: ['group'] },
      { 'included_environments[0]': "The environment 'group' is itself logical" },
    ],
    [
      'another type',
      { name: 'cluster', type: 'ECS', description: 'other' },
      { type: "The environment 'cluster' is of type 'K8S' and cannot become 'ECS'" },
    ],
    [
      'an unknown key',
      { name: 'bad', type: 'K8S', extra: 1 },
      { extra: 'Extra inputs are not permitted [input: 1]' },
    ],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['nothing', undefined, { body: 'Field required [input: None]' }],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, sent, errors) => {
    await put({ name: 'cluster', type: 'K8S' })
    await put({ name: 'group', type: 'logical' })
    const before = await stored()
    const { status, body } = await put(sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await stored()).toEqual(before)
  })

  it('refuses another type for an archived environment, too', async () => {
    await put({ name: 'fixed', type: 'S3' })
    await archive('fixed')
    const before = await stored()
    const { status, body } = await put({ name: 'fixed', type: 'lambda' })
    expect(status).toBe(400)
    expect(body.errors.type).toBe("The environment 'fixed' is of type 'S3' and cannot become 'lambda'")
    expect(await stored()).toEqual(before)
  })
})

describe('403', () => {
  it('refuses a reader and stores nothing', async () => {
    const before = await stored()
    const { status, body } = await app.reader.put('/environments/acme', { name: 'not-mine', type: 'K8S' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await stored()).toEqual(before)
  })

  it('does not let who may only report choose what another environment shows', async () => {
    for (const name of ['shown', 'hidden']) await put({ name, type: 'K8S' })
    await put({ name: 'view', type: 'logical', included_environments: ['shown', 'hidden'] })
    const before = await stored()
    expect((await put({ name: 'view', type: 'logical', included_environments: ['shown'] })).status).toBe(403)
    expect(await stored()).toEqual(before)
  })
})

describe('404', () => {
  it.each([
    ['does not exist', 'nowhere'],
    ['has been archived', 'past'],
  ])('names a member that %s and stores nothing', async (what, member) => {
    await put({ name: 'past', type: 'K8S' })
    await archive('past')
    const before = await stored()
    const { status, body } = await put({ name: 'lost', type: 'logical', included_environments: [member] })
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Environment named '${member}' ${what} for organization 'acme'` })
    expect(await stored()).toEqual(before)
  })

  it('does not combine an environment of another org', async () => {
    await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
    const { status } = await put({ name: 'lost', type: 'logical', included_environments: ['theirs'] })
    expect(status).toBe(404)
  })
})

describe('409', () => {
  it('asks to try again when a rename gives the name away at that moment', async () => {
    await put({ name: 'moving', type: 'K8S' })
    await app.owner.query('begin')
    await app.owner.query(`select from environments where name = 'moving' for update`)
    const waiting = put({ name: 'moving', type: 'K8S', description: 'late' })
    const waits = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    // Within a transaction the statistics stand still unless told otherwise.
    await app.owner.query('set local stats_fetch_consistency = none')
    await expect.poll(async () => (await app.owner.query(waits)).rows[0].n, { interval: 5 }).toBe(1)
    await app.owner.query(`update environments set name = 'moved' where name = 'moving'`)
    await app.owner.query('commit')
    const { status, body } = await waiting
    expect(status).toBe(409)
    expect(body).toEqual({ message: "The environment 'moving' is being renamed; try again" })
  })
})
