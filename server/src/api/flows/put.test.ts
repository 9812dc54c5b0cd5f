import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const NAME_PATTERN = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`
const NO_PERMISSION = { message: "You don't have permission to access this resource" }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const readFlow = async (name: string) => (await app.reader.get(`/flows/acme/${name}`)).body

/** Row counts of everything that a PUT may write. */
async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from flows) as flows,
    (select count(*)::int from templates) as templates, (select count(*)::int from events) as events`)
  return row
}

const listEventsAbout = async (kind: string, flow_name: string) =>
  (await app.readEvents(kind)).filter(event => event.data.flow_name === flow_name)

describe('201', () => {
  it('creates a private flow with the empty template', async () => {
    const { status, body } = await app.member.put('/flows/acme', { name: 'new', description: '' })
    expect(status).toBe(201)
    expect(body).toBe('OK')
    const now = app.clock.now().getTime() / 1000
    const { id, ...flow } = await readFlow('new')
    expect(id).toHaveLength(32)
    expect(flow).toEqual({
      org: 'acme',
      name: 'new',
      description: '',
      visibility: 'private',
      template: 'version: 1',
      repo_url: '',
      tags: {},
      created_by: 'max',
      created_at: now,
      last_modified_at: now,
      last_deployment_at: null,
      latest_activity_at: now,
      latest_state: null,
      archived: false,
      warnings: [],
    })
    expect(await listEventsAbout('flow_created', 'new')).toEqual([
      { kind: 'flow_created', actor: 'max', data: { flow_name: 'new' } },
    ])
  })

  it('turns the legacy list into a template for one artifact', async () => {
    const flow = {
      name: 'legacy',
      description: 'x',
      visibility: 'public',
      template: ['artifact', 'tests', 'sbom'],
    }
    expect((await app.member.put('/flows/acme', flow)).status).toBe(201)
    const { template, visibility } = await readFlow('legacy')
    expect(visibility).toBe('public')
    expect(template).toBe(`version: 1
trail:
  attestations: []
  artifacts:
    - name: artifact
      attestations:
        - name: tests
          type: "*"
        - name: sbom
          type: "*"
`)
  })

  it('creates once when two identical requests race', async () => {
    const race = Array.from({ length: 8 }, () =>
      app.member.put('/flows/acme', { name: 'raced', description: 'same' }),
    )
    const statuses = (await Promise.all(race)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await listEventsAbout('flow_created', 'raced')).toHaveLength(1)
  })
})

describe('200', () => {
  it('overwrites the sent fields and keeps the rest', async () => {
    const flow = { name: 'kept', description: 'first', visibility: 'public', template: ['tests'] }
    await app.member.put('/flows/acme', flow)
    const before = await readFlow('kept')
    app.clock.advance(1000)
    const { status, body } = await app.admin.put('/flows/acme', { name: 'kept', description: '' })
    expect(status).toBe(200)
    expect(body).toBe('OK')
    const now = app.clock.now().getTime() / 1000
    const changed = { description: '', last_modified_at: now, latest_activity_at: now }
    expect(await readFlow('kept')).toEqual({ ...before, ...changed })
    expect(await listEventsAbout('flow_updated', 'kept')).toEqual([
      {
        kind: 'flow_updated',
        actor: 'ada',
        data: { flow_name: 'kept', changes: ['description'], revived: false },
      },
    ])
  })

  it('names every change in the event', async () => {
    await app.member.put('/flows/acme', { name: 'changed', description: 'first' })
    await app.member.put('/flows/acme', {
      name: 'changed',
      description: 'second',
      visibility: 'public',
      template: ['scan'],
    })
    const [event] = await listEventsAbout('flow_updated', 'changed')
    expect(event?.data.changes).toEqual(['description', 'visibility', 'template'])
    expect((await readFlow('changed')).template).toContain('name: scan')
  })

  it('stores nothing when nothing changes', async () => {
    const flow = { name: 'same', description: 'same', template: ['tests'] }
    await app.member.put('/flows/acme', flow)
    const before = { rows: await readStored(), flow: await readFlow('same') }
    app.clock.advance(1000)
    expect((await app.member.put('/flows/acme', flow)).status).toBe(200)
    expect({ rows: await readStored(), flow: await readFlow('same') }).toEqual(before)
  })

  it('restores an archived flow with the sent fields, its id and its trails', async () => {
    const old = { description: 'old', visibility: 'public', template: ['artifact', 'unit-test'] }
    await app.member.put('/flows/acme', { name: 'back', ...old })
    await app.member.put('/trails/acme/back', { name: 'first-run' })
    await app.member.patch('/tags/acme/flow/back', { set_tags: { team: 'blue' } })
    const before = await readFlow('back')
    await app.member.put('/flows/acme/back/archive', null)
    const { status } = await app.member.put('/flows/acme', { name: 'back', description: 'new' })
    expect(status).toBe(200)
    expect(await readFlow('back')).toMatchObject({
      id: before.id,
      tags: {},
      description: 'new',
      visibility: 'private',
      template: 'version: 1',
    })
    expect((await app.reader.get('/trails/acme/back/first-run')).status).toBe(200)
    const [event] = await listEventsAbout('flow_updated', 'back')
    const changes = ['description', 'visibility', 'template']
    expect(event?.data).toEqual({ flow_name: 'back', changes, revived: true })
  })
})

describe('400', () => {
  const refused: [string, unknown, Record<string, string>][] = [
    [
      'an illegal name',
      { name: 'my flow', description: '' },
      { name: `String should match pattern '${NAME_PATTERN}' [input: my flow]` },
    ],
    ['no description', { name: 'ok' }, { description: 'Field required [input: None]' }],
    ['no name', { description: '' }, { name: 'Field required [input: None]' }],
    [
      'an unknown visibility',
      { name: 'ok', description: '', visibility: 'secret' },
      { visibility: "Input should be 'public' or 'private' [input: secret]" },
    ],
    [
      'a template that is no list',
      { name: 'ok', description: '', template: 'tests' },
      { template: 'Input should be a valid list [input: tests]' },
    ],
    [
      'unknown keys, also those every object has',
      '{"name":"ok","description":"","extra":1,"toString":2,"__proto__":{"name":"x"}}',
      JSON.parse(`{"extra":"Extra inputs are not permitted [input: 1]",
        "toString":"Extra inputs are not permitted [input: 2]",
        "__proto__":"Extra inputs are not permitted [input: {\\"name\\":\\"x\\"}]"}`),
    ],
    ['null', null, { body: 'Input should be a valid dictionary [input: None]' }],
    ['nothing', undefined, { body: 'Field required [input: None]' }],
    [
      'a name of 256 characters',
      { name: 'n'.repeat(256), description: '' },
      { name: `String should have at most 255 characters [input: ${'n'.repeat(100)}…]` },
    ],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, sent, errors) => {
    const before = await readStored()
    const { status, text } = await app.member.put('/flows/acme', sent)
    expect(status).toBe(400)
    // As text, because comparing objects does not see an own `__proto__`.
    expect(text).toBe(JSON.stringify({ message: 'Input payload validation failed', errors }))
    expect(await readStored()).toEqual(before)
  })

  it('refuses an empty attestation name in the list', async () => {
    const before = await readStored()
    const { status, body } = await app.member.put('/flows/acme', {
      name: 'ok',
      description: '',
      template: [''],
    })
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(Object.keys(body.errors)).toEqual([
      'template.trail.artifacts[0].attestations[0].name',
      'template_file',
    ])
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status, body } = await app[role].put('/flows/acme', { name: 'not-mine', description: '' })
    expect(status).toBe(403)
    expect(body).toEqual(NO_PERMISSION)
    expect(await readStored()).toEqual(before)
  })
})

describe('409', () => {
  it('asks to try again if a concurrent rename releases the name', async () => {
    await app.member.put('/flows/acme', { name: 'moving', description: '' })
    await app.owner.query('begin')
    await app.owner.query(`select from flows where name = 'moving' for update`)
    const waiting = app.member.put('/flows/acme', { name: 'moving', description: 'late' })
    await waitForLock()
    await app.owner.query(`update flows set name = 'moved' where name = 'moving'`)
    await app.owner.query('commit')
    const { status, body } = await waiting
    expect(status).toBe(409)
    expect(body).toEqual({ message: "The flow 'moving' is being renamed; try again" })
  })

  async function waitForLock(): Promise<void> {
    const waiting = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    // By default, statistics do not change within a transaction.
    await app.owner.query('set local stats_fetch_consistency = none')
    await expect.poll(async () => (await app.owner.query(waiting)).rows[0].n, { interval: 5 }).toBe(1)
  }
})
