import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { WIRE_ID } from '../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (body: unknown) => app.snapshotter.put('/environments/acme', body)
const archive = (name: string) => app.member.put(`/environments/acme/${name}/archive`, null)
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const getNow = () => app.clock.now().getTime() / 1000

async function readStored() {
  return [
    await app.sql('select * from environments order by environment_id'),
    await app.sql('select * from former_environment_names order by name'),
    await app.sql('select * from environment_members order by environment_id, member_id'),
    (await app.readEvents()).length,
  ]
}

const listEventsAbout = async (kind: string, environment_name: string) =>
  (await app.readEvents(kind)).filter(event => event.data.environment_name === environment_name)

/** As if a compliant artifact ran there. */
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
      id: expect.stringMatching(WIRE_ID),
      org: 'acme',
      name: 'new',
      type: 'K8S',
      neutral_type: 'K8S',
      description: 'The cluster',
      last_modified_at: getNow(),
      last_reported_at: null,
      last_changed_at: null,
      state: null,
      unknown_because: 'never-reported',
      is_stale: false,
      stale_since: null,
      is_partial: false,
      partial_since: null,
      missing: [],
      observed_at: null,
      reporter: null,
      expected_report_interval: 3600,
      include_scaling: false,
      require_provenance: false,
      tags: {},
      policies: [],
      included_environments: null,
      latest_snapshot_index: 0,
      archived: false,
      created_by: 'sam',
      created_at: getNow(),
      html_url: 'http://waybill.test/acme/environments/new',
    })
    expect(await listEventsAbout('environment_created', 'new')).toEqual([
      { kind: 'environment_created', actor: 'sam', data: { environment_name: 'new', type: 'K8S' } },
    ])
  })

  it.each(['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run', 'logical'])(
    'accepts the type %s, a null and an empty list',
    async type => {
      const body = { name: `of-${type}`, type, description: '', included_environments: [], policies: null }
      expect((await put(body)).status).toBe(201)
      const included_environments = type === 'logical' ? [] : null
      expect(await read(`of-${type}`)).toMatchObject({ type, included_environments, policies: [] })
      const nulls = { name: `null-${type}`, type, included_environments: null, policies: [] }
      expect((await put(nulls)).status).toBe(201)
    },
  )

  it('stores the switches', async () => {
    await put({ name: 'switched', type: 'ECS', include_scaling: true, require_provenance: true })
    expect(await read('switched')).toMatchObject({ include_scaling: true, require_provenance: true })
  })

  it('includes environments, each once, also by a former name', async () => {
    await put({ name: 'part-1', type: 'K8S' })
    await put({ name: 'part-2', type: 'docker' })
    await app.member.put('/environments/acme/part-2/rename', { new_name: 'part-3' })
    await report('part-1')
    const included_environments = ['part-3', 'part-1', 'part-2', 'part-1']
    const { status } = await put({ name: 'whole', type: 'logical', included_environments })
    expect(status).toBe(201)
    expect(await read('whole')).toMatchObject({
      included_environments: ['part-3', 'part-1'],
      latest_snapshot_index: 1,
      last_reported_at: null,
    })
    const [created] = await listEventsAbout('environment_created', 'whole')
    expect(created?.data).toEqual({
      environment_name: 'whole',
      type: 'logical',
      included_environments: ['part-1', 'part-3'],
    })
    expect(await listEventsAbout('environment_members_changed', 'whole')).toEqual([])
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
    expect(await listEventsAbout('environment_created', name)).toHaveLength(1)
    expect(await listEventsAbout('environment_members_changed', name)).toEqual([])
  })
})

describe('200', () => {
  it('overwrites the sent fields and keeps the rest, including the description when an empty one is sent', async () => {
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
    expect(await read('kept')).toEqual({ ...before, require_provenance: true, last_modified_at: getNow() })
    expect(await listEventsAbout('environment_updated', 'kept')).toEqual([
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
    const [event] = await listEventsAbout('environment_updated', 'changed')
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
    const before = await readStored()
    app.clock.advance(1000)
    expect((await put(physical)).status).toBe(200)
    expect((await put(logical)).status).toBe(200)
    expect(await readStored()).toEqual(before)
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
      included_environments: ['m3', 'm2'],
      last_modified_at: getNow(),
      latest_snapshot_index: 1,
    })
    expect(await listEventsAbout('environment_members_changed', 'team')).toEqual([
      {
        kind: 'environment_members_changed',
        actor: 'max',
        data: { environment_name: 'team', added: ['m3'], removed: ['m1'] },
      },
    ])
    expect(await listEventsAbout('environment_updated', 'team')).toEqual([])
    await app.member.put('/environments/acme', { name: 'team', type: 'logical', included_environments: null })
    expect((await read('team')).included_environments).toEqual(['m3', 'm2'])
    await app.member.put('/environments/acme', { name: 'team', type: 'logical', included_environments: [] })
    expect((await read('team')).included_environments).toEqual([])
  })

  it('restores an archived environment with the sent fields and its history', async () => {
    await app.member.put('/policies/acme/strict', { policy_yaml: '_schema: https://waybill.example/v1' })
    const old = { include_scaling: true, expected_report_interval: 60, policies: ['strict'] }
    await app.member.put('/environments/acme', { name: 'back', type: 'K8S', description: 'old', ...old })
    await app.member.patch('/tags/acme/env/back', { set_tags: { team: 'blue' } })
    const allowed = { artifact_fingerprint: 'a'.repeat(64), artifact_name: 'x', description: 'x' }
    expect((await app.member.put('/allowlists/acme/back', allowed)).status).toBe(201)
    await app.snapshotter.put('/environments/acme/back/report/K8S', { artifacts: [] })
    const before = await read('back')
    await archive('back')
    app.clock.advance(1000)
    expect((await put({ name: 'back', type: 'K8S', description: '' })).status).toBe(200)
    expect(await read('back')).toEqual({
      ...before,
      description: '',
      include_scaling: false,
      expected_report_interval: 3600,
      tags: {},
      policies: [],
      last_modified_at: getNow(),
      last_changed_at: getNow(),
      latest_snapshot_index: 2,
      state: null,
      unknown_because: 'no-policies',
    })
    const [event] = await listEventsAbout('environment_updated', 'back')
    const changes = ['description', 'include_scaling', 'expected_report_interval']
    expect(event?.data).toEqual({ environment_name: 'back', changes, revived: true })
    expect(await listEventsAbout('policy_detached', 'back')).toHaveLength(1)
    expect((await app.reader.get('/allowlists/acme/back')).body).toEqual([])
  })

  it('restores a logical environment with the sent members only', async () => {
    await put({ name: 'slept-part', type: 'K8S' })
    await put({ name: 'slept', type: 'logical', included_environments: ['slept-part'] })
    await archive('slept')
    await report('slept-part')
    expect((await put({ name: 'slept', type: 'logical' })).status).toBe(200)
    expect((await read('slept')).included_environments).toEqual([])
    await archive('slept')
    const included_environments = ['slept-part']
    const again = { name: 'slept', type: 'logical', included_environments }
    expect((await app.member.put('/environments/acme', again)).status).toBe(200)
    expect(await read('slept')).toMatchObject({
      included_environments: ['slept-part'],
      latest_snapshot_index: 1,
      state: true,
    })
  })
})
