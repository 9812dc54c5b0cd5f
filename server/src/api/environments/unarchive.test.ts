import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, readLatestSnapshot, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const STRICT = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const archive = (name: string) => app.member.put(`/environments/acme/${name}/archive`, null)
const unarchive = (name: string, client = app.member) =>
  client.put(`/environments/acme/${name}/unarchive`, null)
const read = (name: string) => app.reader.get(`/environments/acme/${name}`)

describe('200', () => {
  it('restores the environment with its policies and snapshots', async () => {
    await makeEnvironment(app, 'back')
    await putPolicy(app, 'strict', STRICT)
    await attach(app, 'back', 'strict')
    await report(app, 'back', 'a')
    const before = (await read('back')).body
    const snapshot = await readLatestSnapshot(app, 'back')
    await archive('back')
    app.clock.advance(1000)
    const { status, body } = await unarchive('back')
    expect([status, body]).toEqual([200, 'OK'])
    const last_modified_at = app.clock.now().getTime() / 1000
    expect((await read('back')).body).toEqual({ ...before, last_modified_at })
    expect(await readLatestSnapshot(app, 'back')).toEqual(snapshot)
    expect(await app.readEvents('environment_unarchived')).toEqual([
      { kind: 'environment_unarchived', actor: 'max', data: { environment_name: 'back' } },
    ])
  })

  it('leaves it out of the logical environments that included it', async () => {
    await makeEnvironment(app, 'part')
    await app.member.put('/environments/acme', {
      name: 'whole',
      type: 'logical',
      description: '',
      included_environments: ['part'],
    })
    await archive('part')
    await unarchive('part')
    expect((await read('whole')).body.included_environments).toEqual([])
  })

  it('changes nothing if the environment is not archived, and records nothing', async () => {
    await makeEnvironment(app, 'active')
    const before = await app.readEvents()
    const { status, body } = await unarchive('active')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await makeEnvironment(app, `guarded-by-${role}`)
    await archive(`guarded-by-${role}`)
    expect((await unarchive(`guarded-by-${role}`, app[role])).status).toBe(403)
    expect((await read(`guarded-by-${role}`)).status).toBe(404)
  })
})

describe('404', () => {
  it('names the environment and the org', async () => {
    const { status, body } = await unarchive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({
      message: "Environment named 'nothing' does not exist for organization 'acme'",
    })
  })
})
