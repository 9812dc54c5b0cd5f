import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (body: unknown) => app.admin.post('/controls/acme', body)
const readStored = () =>
  app.sql(`select (select count(*) from controls) as controls, (select count(*) from control_versions) as versions,
    (select count(*) from events) as events`)

describe('201', () => {
  it('returns the record, and stores it with its first version and its event', async () => {
    const links = { 'ISO 27001 A.8.32': 'https://iso.example/a', 'v1.2.3': 'http://wiki.example/x' }
    const { status, body, headers } = await create({
      identifier: 'SDLC-1',
      name: 'Four eyes',
      description: 'Nobody merges alone',
      links,
    })
    const now = app.clock.now().getTime() / 1000
    expect(status).toBe(201)
    expect(headers['waybill-beta']).toBe('?1')
    expect(body).toEqual({
      identifier: 'SDLC-1',
      name: 'Four eyes',
      description: 'Nobody merges alone',
      links,
      tags: {},
      version: 1,
      archived: false,
      created_by: 'ada',
      created_at: now,
      last_modified_at: now,
      policies_referencing: [],
      html_url: `${BASE_URL}/acme/controls/SDLC-1`,
    })
    expect((await app.reader.get('/controls/acme/SDLC-1')).body).toEqual(body)
    expect((await app.reader.get('/controls/acme/SDLC-1/versions')).body.versions).toEqual([
      {
        version: 1,
        kind: 'Created',
        name: 'Four eyes',
        description: 'Nobody merges alone',
        links,
        changed_by: 'ada',
        changed_at: now,
      },
    ])
    expect(await app.readEvents('control_created')).toEqual([
      {
        kind: 'control_created',
        actor: 'ada',
        data: { identifier: 'SDLC-1', name: 'Four eyes', version: 1 },
      },
    ])
    const about = `select c.identifier from events e join controls c using (org_id, control_id)`
    expect(await app.sql(about)).toEqual([{ identifier: 'SDLC-1' }])
  })

  it.each([
    ['left out', {}],
    ['null', { description: null }],
    ['empty', { description: '' }],
  ])('treats a description that is %s as none', async (what, description) => {
    const identifier = what.replace(' ', '-')
    const { status, body } = await create({ identifier, name: 'x', ...description })
    expect([status, body.description, body.links]).toEqual([201, null, {}])
  })

  it.each(['-._~', 'a'.repeat(256), '..'])('accepts the identifier %s', async identifier => {
    expect((await create({ identifier, name: 'x' })).status).toBe(201)
    expect((await app.reader.get('/controls/acme?per_page=100')).text).toContain(`"${identifier}"`)
  })

  it('distinguishes identifiers by case', async () => {
    expect((await create({ identifier: 'case', name: 'x' })).status).toBe(201)
    expect((await create({ identifier: 'CASE', name: 'x' })).status).toBe(201)
  })

  it('belongs to one organization', async () => {
    await create({ identifier: 'shared', name: 'ours' })
    const theirs = await app.outsider.post('/controls/other-corp', { identifier: 'shared', name: 'theirs' })
    expect(theirs.status).toBe(201)
    expect((await app.reader.get('/controls/acme/shared')).body.name).toBe('ours')
  })

  it('creates one of many at the same time, and the others get 409', async () => {
    const racing = Array.from({ length: 32 }, () => create({ identifier: 'raced', name: 'same' }))
    const statuses = (await Promise.all(racing)).map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(statuses.filter(status => status === 409)).toHaveLength(31)
    const events = (await app.readEvents('control_created')).filter(({ data }) => data.identifier === 'raced')
    expect(events).toHaveLength(1)
    expect((await app.reader.get('/controls/acme/raced/versions')).body.total_count).toBe(1)
  })
})

describe('400', () => {
  const pattern = String.raw`^[a-zA-Z0-9\-._~]+$`
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`l${i}`, 'https://a.example']))
  const long = 'l'.repeat(101)
  it.each<[string, Record<string, unknown>, string, string | RegExp]>([
    [
      'an identifier with a space',
      { identifier: 'bad identifier' },
      'identifier',
      `String should match pattern '${pattern}' [input: bad identifier]`,
    ],
    ['an empty identifier', { identifier: '' }, 'identifier', /^String should match pattern/],
    ['an identifier of 257 characters', { identifier: 'a'.repeat(257) }, 'identifier', /256/],
    ['no identifier', { identifier: undefined }, 'identifier', 'Field required [input: None]'],
    ['no name', { name: undefined }, 'name', 'Field required [input: None]'],
    ['an empty name', { name: '' }, 'name', /at least 1/],
    ['a name of 256 characters', { name: 'n'.repeat(256) }, 'name', /255/],
    ['a name that is null', { name: null }, 'name', 'Input should be a valid string [input: None]'],
    ['a description that is a number', { description: 3 }, 'description', /valid string/],
    ['links that are a list', { links: [] }, 'links', 'Input should be a valid dictionary [input: []]'],
    ['links that are null', { links: null }, 'links', /valid dictionary/],
    ['51 links', { links: many }, 'links', /50/],
    ['an empty label', { links: { '': 'https://a.example' } }, 'links', /at least 1/],
    ['a label of 101 characters', { links: { [long]: 'https://a.example' } }, `links.${long}`, /100/],
    ['a script as a link', { links: { a: 'javascript:alert(1)' } }, 'links.a', /valid URL/],
    ['a link to a file', { links: { a: 'ftp://a.example' } }, 'links.a', /valid URL/],
    ['tags', { tags: {} }, 'tags', /not permitted/],
  ])('refuses %s and stores nothing', async (_what, change, field, sentence) => {
    const before = await readStored()
    const { status, body } = await create({ identifier: 'fine', name: 'fine', ...change })
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(Object.keys(body.errors)).toEqual([field])
    expect(body.errors[field]).toMatch(sentence)
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['member', 'snapshotter', 'reader'] as const)('is for admins, not for a %s', async role => {
    const before = await readStored()
    const answer = await app[role].post('/controls/acme', { identifier: 'mine', name: 'mine' })
    expect(answer.status).toBe(403)
    expect(await readStored()).toEqual(before)
  })
})

describe('409', () => {
  const formatConflict = (identifier: string) =>
    `A control with identifier '${identifier}' already exists in organization 'acme'`

  it('uses the sentence that existing clients expect, whatever else is sent', async () => {
    await create({ identifier: 'taken', name: 'first' })
    const before = await readStored()
    const { status, body } = await create({ identifier: 'taken', name: 'second' })
    expect(status).toBe(409)
    expect(body).toEqual({ message: formatConflict('taken') })
    expect(await readStored()).toEqual(before)
    expect((await app.reader.get('/controls/acme/taken')).body.name).toBe('first')
  })

  it('includes archived controls', async () => {
    await create({ identifier: 'past', name: 'first' })
    await app.admin.post('/controls/acme/past/archive', null)
    const { status, body } = await create({ identifier: 'past', name: 'second' })
    expect([status, body]).toEqual([409, { message: formatConflict('past') }])
  })
})

it('creates one control from retries that arrive at the same time', async () => {
  const body = { identifier: 'AT-ONCE', name: 'Once' }
  const send = () => app.admin.call('POST', '/controls/acme', body, { 'idempotency-key': 'at-once' })
  const answers = await Promise.all(Array.from({ length: 16 }, send))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await app.sql("select count(*)::int as n from controls where identifier = 'AT-ONCE'")).toEqual([
    { n: 1 },
  ])
})
