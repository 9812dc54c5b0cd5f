import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildControlPolicy } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const LINKS = { 'a.b': 'https://a.example', c: 'https://c.example' }
const put = (identifier: string, body: unknown) => app.admin.put(`/controls/acme/${identifier}`, body)
const listVersions = async (identifier: string) =>
  (await app.reader.get(`/controls/acme/${identifier}/versions?per_page=100`)).body.versions
const add = (identifier: string) =>
  addControl(app, identifier, { name: 'before', description: 'said', links: LINKS })
const listUpdates = async (identifier: string) =>
  (await app.readEvents('control_updated')).filter(({ data }) => data.identifier === identifier)

describe('200', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['the name', { name: 'after' }, { name: 'after', description: 'said', links: LINKS }, ['name']],
    [
      'another text',
      { description: 'more' },
      { name: 'before', description: 'more', links: LINKS },
      ['description'],
    ],
    [
      'a text by null',
      { description: null },
      { name: 'before', description: null, links: LINKS },
      ['description'],
    ],
    [
      'a text by none',
      { description: '' },
      { name: 'before', description: null, links: LINKS },
      ['description'],
    ],
    [
      'the links as a whole',
      { links: { d: 'https://d.example' } },
      { name: 'before', description: 'said', links: { d: 'https://d.example' } },
      ['links'],
    ],
    ['no links', { links: {} }, { name: 'before', description: 'said', links: {} }, ['links']],
    [
      'everything',
      { name: 'after', description: 'new', links: {} },
      { name: 'after', description: 'new', links: {} },
      ['description', 'links', 'name'],
    ],
  ])('changes %s, leaves the rest, and makes a version', async (what, sent, after, changes) => {
    const identifier = what.replaceAll(' ', '-')
    await add(identifier)
    app.clock.advance(1000)
    const now = app.clock.now().getTime() / 1000
    const { status, body } = await put(identifier, sent)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...after, version: 2, created_at: now - 1, last_modified_at: now })
    expect((await app.reader.get(`/controls/acme/${identifier}`)).body).toEqual(body)
    expect(await listVersions(identifier)).toEqual([
      { version: 2, kind: 'Edited', ...after, changed_by: 'ada', changed_at: now },
      expect.objectContaining({
        version: 1,
        kind: 'Created',
        name: 'before',
        description: 'said',
        links: LINKS,
      }),
    ])
    expect(await listUpdates(identifier)).toEqual([
      { kind: 'control_updated', actor: 'ada', data: { identifier, version: 2, changes } },
    ])
  })

  it.each([
    ['nothing', {}],
    ['the same', { name: 'before', description: 'said', links: LINKS }],
    ['the same links in another order', { links: { c: LINKS.c, 'a.b': LINKS['a.b'] } }],
  ])('makes no version for %s', async (what, sent) => {
    const identifier = `unchanged-${what.replaceAll(' ', '-')}`
    await add(identifier)
    const before = (await app.reader.get(`/controls/acme/${identifier}`)).body
    app.clock.advance(1000)
    const { status, body } = await put(identifier, sent)
    expect(status).toBe(200)
    expect(body).toEqual(before)
    expect(await listVersions(identifier)).toHaveLength(1)
    expect(await listUpdates(identifier)).toEqual([])
  })

  it('does not change tags or the policies that name it', async () => {
    await add('tagged')
    await app.member.patch('/tags/acme/control/tagged', { set_tags: { a: 'b' } })
    await app.member.put('/policies/acme/requires', { policy_yaml: buildControlPolicy('tagged') })
    expect((await put('tagged', { name: 'after' })).body).toMatchObject({
      tags: { a: 'b' },
      policies_referencing: ['requires'],
    })
  })

  it('numbers concurrent changes without gaps', async () => {
    await add('raced')
    const names = Array.from({ length: 32 }, (_, i) => `name ${i}`)
    const answers = await Promise.all(names.map(name => put('raced', { name })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const versions: { version: number; name: string }[] = await listVersions('raced')
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 33 }, (_, i) => 33 - i))
    expect(versions.map(({ name }) => name).toSorted()).toEqual([...names, 'before'].toSorted())
    const { body } = await app.reader.get('/controls/acme/raced')
    expect([body.version, body.name]).toEqual([33, versions[0]?.name])
    const eventVersions = (await listUpdates('raced')).map(({ data }) => Number(data.version))
    expect(eventVersions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, i) => i + 2))
  })
})

describe('400', () => {
  it.each([
    ['links that are not an object', { links: 'https://a.example' }, 'links'],
    ['an empty name', { name: '' }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['another identifier', { identifier: 'other' }, 'identifier'],
  ])('refuses %s and stores nothing', async (what, sent, field) => {
    const identifier = `refused-${what.replaceAll(' ', '-')}`
    await add(identifier)
    const { status, body } = await put(identifier, sent)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
    expect(await listVersions(identifier)).toHaveLength(1)
  })

  it.each([
    ['a change', { name: 'after' }],
    ['nothing', {}],
  ])('refuses %s of an archived control, in a sentence that clients show', async (what, sent) => {
    const identifier = `archived-${what.replaceAll(' ', '-')}`
    await add(identifier)
    await app.admin.post(`/controls/acme/${identifier}/archive`, null)
    const { status, body } = await put(identifier, sent)
    expect(status).toBe(400)
    expect(body).toEqual({ message: `Control '${identifier}' is archived; unarchive it to edit it` })
    expect(await listVersions(identifier)).toHaveLength(2)
  })
})

describe('403', () => {
  it('refuses everyone but admins', async () => {
    await add('guarded')
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.put('/controls/acme/guarded', { name: 'mine' })).status).toBe(403)
    }
    expect((await app.reader.get('/controls/acme/guarded')).body.name).toBe('before')
  })
})

describe('404', () => {
  it('names the control and the org', async () => {
    const { status, body } = await put('nothing', { name: 'x' })
    expect([status, body]).toEqual([404, { message: "Control 'nothing' does not exist in org 'acme'" }])
  })
})
