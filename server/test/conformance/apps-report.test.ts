// Sections 2.4 and 4.4: the report of a web-and-function-apps environment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, readLatestIndex } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeFingerprint } from '../reports.ts'
import { changeField, expectKind, type Kind } from './fields.ts'

const PATH = '/environments/acme/apps/report/cloudx-apps'
const BODY = {
  artifacts: [
    {
      app_kind: 'functionapp,linux',
      app_name: 'orders',
      creationTimestamp: 1_772_539_200,
      digests: { 'registry.example.com/orders:1': makeFingerprint('a') },
      digests_source: 'logs',
    },
  ],
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'apps', { type: 'cloudx-apps' })
  await makeEnvironment(app, 'cluster')
})
afterAll(() => app.stop())

const report = (body: unknown) => app.snapshotter.put(PATH, body)

describe('a report of apps', () => {
  it.each<[string, Kind, unknown]>([
    ['artifacts', 'an array of objects', 'all'],
    ['artifacts[0].app_kind', 'a string', 7],
    ['artifacts[0].app_name', 'a string', 7],
    ['artifacts[0].creationTimestamp', 'an integer', 1.5],
    ['artifacts[0].digests', 'an object', 'none'],
    ['artifacts[0].digests_source', 'a string', 7],
  ])('has %s, %s and nothing else', async (field, kind, wrong) => {
    expectKind(BODY, field, kind)
    expect((await report(BODY)).status).toBe(200)
    const { status, body } = await report(changeField(BODY, field, wrong))
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  it('has digests of 64 hexadecimal characters', async () => {
    const digests = { 'image:1': 'a'.repeat(63) }
    const { status, body } = await report(changeField(BODY, 'artifacts[0].digests', digests))
    expect([status, Object.keys(body.errors)]).toEqual([400, ['artifacts[0].digests.image:1']])
  })

  it('maps image names to digests, which the snapshot has', async () => {
    await report(BODY)
    const [shown] = (await app.reader.get('/snapshots/acme/apps/-1')).body.artifacts
    expect(shown).toMatchObject({
      name: 'registry.example.com/orders:1',
      fingerprint: makeFingerprint('a'),
      creationTimestamp: [1_772_539_200],
      app_context: { app_name: 'orders', app_kind: 'functionapp,linux', digests_source: 'logs' },
    })
  })

  it('gets 200 with a string', async () => {
    const { status, text } = await report(BODY)
    expect([status, text]).toEqual([200, '"OK"'])
  })

  it('makes no snapshot when nothing changed', async () => {
    await report(BODY)
    const before = await readLatestIndex(app, 'apps')
    await report(BODY)
    expect(await readLatestIndex(app, 'apps')).toBe(before)
    await report(changeField(BODY, 'artifacts[0].digests', { 'image:2': makeFingerprint('b') }))
    expect(await readLatestIndex(app, 'apps')).toBe(before + 1)
  })

  it('is refused with 400, a message and errors', async () => {
    const { status, body } = await report({})
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: { artifacts: 'Field required [input: None]' },
    })
  })

  it('is refused with 404 and a message for an environment that does not exist', async () => {
    const { status, body } = await app.snapshotter.put('/environments/acme/nowhere/report/cloudx-apps', BODY)
    expect([status, body]).toEqual([
      404,
      { message: "Environment named 'nowhere' does not exist for organization 'acme'" },
    ])
  })

  it('is rejected for an environment of another type', async () => {
    const { status } = await app.snapshotter.put('/environments/acme/cluster/report/cloudx-apps', BODY)
    expect(status).toBe(400)
  })
})
