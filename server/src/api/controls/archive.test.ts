import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

type Way = 'archive' | 'unarchive'
const change = (identifier: string, way: Way, body: unknown = null, headers = {}) =>
  app.admin.call('POST', `/controls/acme/${identifier}/${way}`, body, headers)
const listKinds = async (identifier: string) => {
  const { body } = await app.reader.get(`/controls/acme/${identifier}/versions`)
  return body.versions.map(({ version, kind }: { version: number; kind: string }) => `${version} ${kind}`)
}
const listIdentifiers = async (query = '') => {
  const { body } = await app.reader.get(`/controls/acme?per_page=100${query}`)
  return body.controls.map(({ identifier }: { identifier: string }) => identifier)
}
const listChanges = async (identifier: string) =>
  (await app.readEvents()).filter(
    ({ kind, data }) => /^control_(un)?archived$/.test(kind) && data.identifier === identifier,
  )

describe('200', () => {
  it('removes a control from the list and returns it, each with a version, an event and the definition at that time', async () => {
    await addControl(app, 'moved', { description: 'said', links: { a: 'https://a.example' } })
    app.clock.advance(1000)
    const now = app.clock.now().getTime() / 1000
    const away = await change('moved', 'archive')
    expect(away.status).toBe(200)
    expect(away.body).toMatchObject({
      identifier: 'moved',
      description: 'said',
      archived: true,
      version: 2,
      last_modified_at: now,
    })
    expect(await listIdentifiers()).not.toContain('moved')
    expect(await listIdentifiers('&archived=true')).toContain('moved')
    expect((await app.reader.get('/controls/acme/moved')).body).toEqual(away.body)
    expect((await app.reader.get('/controls/acme/moved/versions/2')).body).toEqual({
      version: 2,
      kind: 'Archived',
      name: 'moved',
      description: 'said',
      links: { a: 'https://a.example' },
      changed_by: 'ada',
      changed_at: now,
    })
    const back = await change('moved', 'unarchive')
    expect(back.status).toBe(200)
    expect(back.body).toMatchObject({ archived: false, version: 3 })
    expect(await listIdentifiers()).toContain('moved')
    expect(await listKinds('moved')).toEqual(['3 Unarchived', '2 Archived', '1 Created'])
    expect(await listChanges('moved')).toEqual([
      { kind: 'control_archived', actor: 'ada', data: { identifier: 'moved', version: 2 } },
      { kind: 'control_unarchived', actor: 'ada', data: { identifier: 'moved', version: 3 } },
    ])
  })

  it.each<[Way, Way[]]>([
    ['archive', ['archive']],
    ['unarchive', ['archive', 'unarchive']],
  ])('makes no second version when it is sent twice: %s', async (way, ways) => {
    const identifier = `twice-${way}`
    await addControl(app, identifier)
    for (const one of ways) await change(identifier, one)
    const before = (await app.reader.get(`/controls/acme/${identifier}`)).body
    app.clock.advance(1000)
    const again = await change(identifier, way)
    expect([again.status, again.body]).toEqual([200, before])
    expect(await listChanges(identifier)).toHaveLength(ways.length)
    expect(await listKinds(identifier)).toHaveLength(ways.length + 1)
  })

  it('makes no version when the control is not archived', async () => {
    await addControl(app, 'active')
    expect((await change('active', 'unarchive')).body).toMatchObject({ version: 1, archived: false })
    expect(await listKinds('active')).toEqual(['1 Created'])
  })

  it('makes one version when many archive at the same time', async () => {
    await addControl(app, 'raced')
    const answers = await Promise.all(Array.from({ length: 32 }, () => change('raced', 'archive')))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.version}`))).toEqual(
      new Set(['200 2']),
    )
    expect(await listKinds('raced')).toEqual(['2 Archived', '1 Created'])
  })

  it('is not repeated by a retry with its idempotency key, whatever happened since', async () => {
    await addControl(app, 'named')
    const key = { 'idempotency-key': 'archive-once' }
    await change('named', 'archive', null, key)
    await change('named', 'unarchive')
    const retried = await change('named', 'archive', null, key)
    expect([retried.status, retried.body.archived]).toEqual([200, false])
    expect(await listKinds('named')).toHaveLength(3)
  })
})

describe('403', () => {
  it.each<Way>(['archive', 'unarchive'])('refuses everyone but admins: %s', async way => {
    const identifier = `guarded-${way}`
    await addControl(app, identifier)
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.post(`/controls/acme/${identifier}/${way}`, null)).status).toBe(403)
    }
    expect(await listKinds(identifier)).toEqual(['1 Created'])
  })
})

describe('404', () => {
  it.each<Way>(['archive', 'unarchive'])('names the control and the org: %s', async way => {
    const { status, body } = await change('nothing', way)
    expect([status, body]).toEqual([404, { message: "Control 'nothing' does not exist in org 'acme'" }])
  })
})

describe('422', () => {
  it('refuses the idempotency key of the other operation', async () => {
    await addControl(app, 'both-ways')
    const key = { 'idempotency-key': 'one-way' }
    await change('both-ways', 'archive', null, key)
    expect((await change('both-ways', 'unarchive', null, key)).status).toBe(422)
    expect(await listKinds('both-ways')).toEqual(['2 Archived', '1 Created'])
  })
})
