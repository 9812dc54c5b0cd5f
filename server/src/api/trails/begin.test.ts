import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordStatements } from '../../../test/statement-log.ts'

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: pull_request\n'
const COMMIT = {
  sha1: 'a'.repeat(40),
  message: 'Fix it',
  author: 'Ann',
  branch: 'main',
  timestamp: 1_772_539_200.5,
}
const REPO = { id: '42', name: 'acme/backend', url: 'https://git.example/acme/backend', provider: 'github' }
const FULL = {
  description: 'everything',
  user_data: { nested: { list: [1, 'two', null, true] } },
  git_commit_info: COMMIT,
  repo_info: REPO,
  external_urls: { ticket: { href: 'https://tickets.example/1', fingerprint: 'f'.repeat(64) } },
  origin_url: 'https://ci.example/run/1',
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
})
afterAll(() => app.stop())

const begin = (data: unknown) => app.member.put('/trails/acme/ci', data)
const beginWith = (data: unknown, template: string) =>
  app.member.form('PUT', '/trails/acme/ci', {
    data_json: JSON.stringify(data),
    template_file: makeFile(template),
  })
const readTrail = async (name: string) => (await app.reader.get(`/trails/acme/ci/${name}`)).body
const listEventsAbout = async (kind: string, name: string) =>
  (await app.readEvents(kind)).filter(({ data }) => (data.trail_data_json as { name: string }).name === name)

async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from trails) as trails,
    (select count(*)::int from templates) as templates, (select count(*)::int from events) as events`)
  return row
}

async function measureCost(work: () => Promise<unknown>) {
  const { statements, waits } = await recordStatements(app, work)
  return { statements: statements.length, waits: waits.length }
}

describe('201', () => {
  it('begins a trail from a name alone', async () => {
    const { status, body } = await begin({ name: 'bare' })
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect(await readTrail('bare')).toMatchObject({
      description: '',
      user_data: {},
      git_commit_info: null,
      repo_info: null,
      external_urls: {},
      origin_url: null,
      created_by: 'max',
      compliance_state: 'COMPLIANT',
    })
  })

  it('stores every field that is sent, and records it in the event', async () => {
    expect((await begin({ name: 'full', ...FULL })).status).toBe(201)
    expect(await readTrail('full')).toMatchObject(FULL)
    const { git_commit_info, repo_info, ...rest } = FULL
    const [event, ...others] = await listEventsAbout('trail_reported', 'full')
    expect(others).toEqual([])
    expect(event).toMatchObject({
      actor: 'max',
      data: { git_commit_info, repo_info, trail_data_json: { name: 'full', ...rest } },
    })
  })

  it('accepts the form that clients send', async () => {
    const parts = { data_json: JSON.stringify({ name: 'form', ...FULL }) }
    expect((await app.member.form('PUT', '/trails/acme/ci', parts)).status).toBe(201)
    expect(await readTrail('form')).toMatchObject(FULL)
  })

  it('uses the template that is sent with it', async () => {
    expect((await beginWith({ name: 'own-template' }, TEMPLATE)).status).toBe(201)
    const trail = await readTrail('own-template')
    expect(trail).toMatchObject({ compliance_state: 'INCOMPLETE', template: { content: TEMPLATE } })
    expect((await app.reader.get('/flows/acme/ci')).body.template).toBe('version: 1')
  })

  it('accepts a name of 255 characters', async () => {
    const name = `n${'.-_~aZ0'.repeat(50)}`.slice(0, 255)
    expect((await begin({ name })).status).toBe(201)
    expect(await readTrail(name)).toMatchObject({ name })
  })

  it('begins the same name in two flows as two trails', async () => {
    await app.member.put('/flows/acme', { name: 'cd', description: '' })
    expect((await begin({ name: 'shared' })).status).toBe(201)
    expect((await app.member.put('/trails/acme/cd', { name: 'shared' })).status).toBe(201)
  })

  it('begins once for concurrent identical requests', async () => {
    const race = Array.from({ length: 8 }, () => begin({ name: 'raced', description: 'same' }))
    const statuses = (await Promise.all(race)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await listEventsAbout('trail_reported', 'raced')).toHaveLength(1)
    expect(await listEventsAbout('trail_updated', 'raced')).toHaveLength(0)
  })

  it('takes two round trips once the caller is cached, including the repository', async () => {
    await begin({ name: 'warm' })
    expect(await measureCost(() => begin({ name: 'counted', ...FULL }))).toEqual({ statements: 4, waits: 2 })
  })
})

describe('200', () => {
  it('keeps omitted keys', async () => {
    await begin({ name: 'patched', ...FULL })
    const before = await readTrail('patched')
    app.clock.advance(1000)
    const { status, body } = await begin({ name: 'patched', description: 'changed' })
    expect(status).toBe(200)
    expect(body).toBe('OK')
    const after = await readTrail('patched')
    expect(after).toMatchObject({
      ...FULL,
      description: 'changed',
      created_at: before.created_at,
      id: before.id,
    })
    expect(after.last_modified_at).toBe(app.clock.now().getTime() / 1000)
  })

  it.each(Object.keys(FULL) as (keyof typeof FULL)[])('changes only %s', async key => {
    const other = {
      description: 'other',
      user_data: ['other'],
      git_commit_info: { sha1: 'b'.repeat(40) },
      repo_info: { ...REPO, id: '43' },
      external_urls: {},
      origin_url: 'https://ci.example/run/2',
    }
    const name = `only-${key.replaceAll('_', '-')}`
    await begin({ name, ...FULL })
    expect((await begin({ name, [key]: other[key] })).status).toBe(200)
    expect(await readTrail(name)).toMatchObject({ ...FULL, [key]: other[key] })
    const [event] = await listEventsAbout('trail_updated', name)
    expect(event?.data.changes).toEqual([key])
  })

  it('records identical requests once, also concurrent ones', async () => {
    const listTypes = async () => (await readTrail('again')).events.map(({ type }: { type: string }) => type)
    for (let time = 0; time < 20; time++) {
      const { status } = await begin({ name: 'again', ...FULL })
      expect(status).toBe(time === 0 ? 201 : 200)
    }
    await begin({ name: 'again' })
    expect(await listTypes()).toEqual(['trail_reported'])
    const { last_modified_at } = await readTrail('again')
    app.clock.advance(1000)
    await Promise.all(Array.from({ length: 16 }, () => begin({ name: 'again', ...FULL })))
    expect(await listTypes()).toEqual(['trail_reported'])
    expect((await readTrail('again')).last_modified_at).toBe(last_modified_at)
  })

  it('records a change once, however often it is sent', async () => {
    await begin({ name: 'changed-once', ...FULL })
    const send = () => begin({ name: 'changed-once', description: 'another' })
    const answers = await Promise.all(Array.from({ length: 16 }, send))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const updates = await listEventsAbout('trail_updated', 'changed-once')
    expect(updates.map(({ data }) => data.changes)).toEqual([['description']])
    await begin({ name: 'changed-once', description: 'a third' })
    expect(await listEventsAbout('trail_updated', 'changed-once')).toHaveLength(2)
  })

  it('removes user data that is set to null', async () => {
    await begin({ name: 'cleared', user_data: { a: 1 } })
    await begin({ name: 'cleared', user_data: null })
    expect((await readTrail('cleared')).user_data).toEqual({})
  })

  it('keeps its first template until another is sent', async () => {
    await begin({ name: 'pinned' })
    await app.member.form('PUT', '/flows/acme/template_file', {
      data_json: '{"name":"ci"}',
      template_file: makeFile(TEMPLATE),
    })
    await begin({ name: 'pinned', description: 'again' })
    expect(await readTrail('pinned')).toMatchObject({
      compliance_state: 'COMPLIANT',
      template: { content: 'version: 1' },
    })
    await begin({ name: 'begun-later' })
    expect(await readTrail('begun-later')).toMatchObject({
      compliance_state: 'INCOMPLETE',
      template: { content: TEMPLATE },
    })
    expect((await beginWith({ name: 'pinned' }, TEMPLATE)).status).toBe(200)
    expect(await readTrail('pinned')).toMatchObject({
      description: 'again',
      compliance_state: 'INCOMPLETE',
      template: { content: TEMPLATE },
    })
    expect((await listEventsAbout('trail_updated', 'pinned')).map(({ data }) => data.changes)).toEqual([
      ['description'],
      ['template'],
    ])
    await app.member.form('PUT', '/flows/acme/template_file', {
      data_json: '{"name":"ci"}',
      template_file: makeFile('version: 1'),
    })
  })

  it('costs the same however much is sent', async () => {
    await begin({ name: 'constant' })
    const small = await measureCost(() => begin({ name: 'constant', description: 'one field' }))
    const { repo_info, ...more } = FULL
    expect(await measureCost(() => begin({ name: 'constant', ...more }))).toEqual(small)
    expect(small).toEqual({ statements: 11, waits: 9 })
    expect(await measureCost(() => begin({ name: 'constant', repo_info }))).toEqual({
      statements: 13,
      waits: 11,
    })
  })
})

describe('400', () => {
  const refused: [string, Record<string, unknown>, string, string][] = [
    ['no name', {}, 'name', 'Field required [input: None]'],
    [
      'an illegal name',
      { name: 'foo?$bar' },
      'name',
      String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: foo?$bar]`,
    ],
    [
      'a name of 256 characters',
      { name: 'n'.repeat(256) },
      'name',
      `String should have at most 255 characters [input: ${'n'.repeat(100)}…]`,
    ],
    [
      'user data that is text',
      { name: 'x', user_data: 'y' },
      'user_data',
      'Input should be a valid dictionary [input: y]',
    ],
    [
      'a short commit',
      { name: 'x', git_commit_info: { sha1: 'abc' } },
      'git_commit_info.sha1',
      "String should match pattern '^[a-f0-9]{40}$' [input: abc]",
    ],
    [
      'a repository without an id',
      { name: 'x', repo_info: { name: 'r', url: 'u' } },
      'repo_info.id',
      'Field required [input: None]',
    ],
    [
      'an empty link',
      { name: 'x', origin_url: '' },
      'origin_url',
      'Input should be a valid URL, input is empty [input: ]',
    ],
    [
      'a link that runs a script',
      { name: 'x', origin_url: 'javascript:alert(1)' },
      'origin_url',
      'Input should be a valid URL with the scheme http or https [input: javascript:alert(1)]',
    ],
    [
      'a bad fingerprint of a link',
      { name: 'x', external_urls: { doc: { href: 'https://a.example', fingerprint: 'f' } } },
      'external_urls.doc.fingerprint',
      "String should match pattern '^[a-f0-9]{64}$' [input: f]",
    ],
    ['an unknown key', { name: 'x', colour: 'red' }, 'colour', 'Extra inputs are not permitted [input: red]'],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, sent, path, sentence) => {
    const before = await readStored()
    const { status, body } = await begin(sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
    expect(await readStored()).toEqual(before)
  })

  it('reports a bad template with the message that clients expect, and stores nothing', async () => {
    const before = await readStored()
    const { status, body } = await beginWith({ name: 'x' }, TEMPLATE.replace('pull_request', 'not-supported'))
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(body.errors.template_file).toMatch(/^2 validation errors for Template\n/)
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status, body } = await app[role].put('/trails/acme/ci', { name: 'not-mine' })
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await readStored()).toEqual(before)
  })
})

describe('404', () => {
  it.each(['JSON', 'a form with a template'])('does not create the flow (%s)', async how => {
    const before = await readStored()
    const path = '/trails/acme/nothing'
    const parts = { data_json: '{"name":"x"}', template_file: makeFile(`${TEMPLATE}# of no flow\n`) }
    const { status, body } = await (how === 'JSON'
      ? app.member.put(path, { name: 'x' })
      : app.member.form('PUT', path, parts))
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
    expect(await readStored()).toEqual(before)
  })
})
