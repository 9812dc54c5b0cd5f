import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function createArchived(name: string): Promise<void> {
  await app.member.put('/flows/acme', { name, description: 'kept' })
  expect((await app.member.put(`/flows/acme/${name}/archive`, null)).status).toBe(200)
}
const unarchive = (name: string, client = app.member) => client.put(`/flows/acme/${name}/unarchive`, null)
const read = (name: string) => app.reader.get(`/flows/acme/${name}`)

describe('200', () => {
  it('restores the flow with its trails', async () => {
    await app.member.put('/flows/acme', { name: 'back', description: 'kept' })
    await app.member.put('/trails/acme/back', { name: 'run' })
    const before = (await read('back')).body
    await app.member.put('/flows/acme/back/archive', null)
    app.clock.advance(1000)
    const { status, body } = await unarchive('back')
    expect([status, body]).toEqual([200, 'OK'])
    const now_s = app.clock.now().getTime() / 1000
    expect((await read('back')).body).toEqual({
      ...before,
      last_modified_at: now_s,
      latest_activity_at: now_s,
    })
    expect((await app.reader.get('/trails/acme/back/run')).status).toBe(200)
    expect(await app.readEvents('flow_unarchived')).toEqual([
      { kind: 'flow_unarchived', actor: 'max', data: { flow_name: 'back' } },
    ])
  })

  it('changes nothing if the flow is not archived, and records nothing', async () => {
    await app.member.put('/flows/acme', { name: 'active', description: '' })
    const before = await app.readEvents()
    const { status, body } = await unarchive('active')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents()).toEqual(before)
  })

  it('finds the flow by a former name', async () => {
    await app.member.put('/flows/acme', { name: 'former', description: '' })
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    await app.member.put('/flows/acme/current/archive', null)
    expect((await unarchive('former')).status).toBe(200)
    expect((await read('current')).status).toBe(200)
    expect((await app.readEvents('flow_unarchived')).at(-1)?.data).toEqual({ flow_name: 'current' })
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await createArchived(`guarded-by-${role}`)
    expect((await unarchive(`guarded-by-${role}`, app[role])).status).toBe(403)
    expect((await read(`guarded-by-${role}`)).status).toBe(404)
  })
})

describe('404', () => {
  it('names the flow and the org', async () => {
    const { status, body } = await unarchive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })

  it('does not reach a flow of another org', async () => {
    await app.outsider.put('/flows/other-corp', { name: 'theirs', description: '' })
    await app.outsider.put('/flows/other-corp/theirs/archive', null)
    expect((await unarchive('theirs', app.admin)).status).toBe(404)
    expect((await app.outsider.get('/flows/other-corp/theirs')).status).toBe(404)
  })
})
