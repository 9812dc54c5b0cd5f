import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const YAML = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function createArchived(name: string): Promise<void> {
  await app.member.put(`/policies/acme/${name}`, { policy_yaml: YAML })
  expect((await app.admin.put(`/policies/acme/${name}/archive`, null)).status).toBe(200)
}
const unarchive = (name: string, client = app.admin) => client.put(`/policies/acme/${name}/unarchive`, null)
const read = async (name: string) => (await app.reader.get(`/policies/acme/${name}`)).body

describe('200', () => {
  it('restores the policy with its versions', async () => {
    await createArchived('back')
    app.clock.advance(1000)
    const { status, body } = await unarchive('back')
    expect([status, body]).toEqual([200, 'OK'])
    const data = { policy_name: 'back', version: 1 }
    expect(await read('back')).toMatchObject({
      archived: false,
      last_modified_at: app.clock.now().getTime() / 1000,
      versions: [{ version: 1, policy_yaml: YAML }],
      events: [
        { type: 'policy_created' },
        { type: 'policy_archived' },
        { type: 'policy_unarchived', user: 'ada', data },
      ],
    })
    expect(await app.readEvents('policy_unarchived')).toEqual([
      { kind: 'policy_unarchived', actor: 'ada', data },
    ])
  })

  it('attaches it to no environment, but it can be attached again', async () => {
    await app.member.put('/environments/acme', { name: 'prod', type: 'K8S', description: '' })
    const attach = () => app.member.post('/environments/acme/prod/policies', { policy_names: ['loose'] })
    await createArchived('loose')
    expect((await attach()).status).toBe(400)
    await unarchive('loose')
    expect((await read('loose')).consuming_envs).toEqual([])
    expect((await attach()).status).toBe(200)
    expect((await read('loose')).consuming_envs).toEqual(['prod'])
  })

  it('changes nothing if the policy is not archived, and records nothing', async () => {
    await app.member.put('/policies/acme/active', { policy_yaml: YAML })
    const before = await app.readEvents()
    const { status, body } = await unarchive('active')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter', 'member'] as const)('refuses a %s', async role => {
    await createArchived(`guarded-by-${role}`)
    expect((await unarchive(`guarded-by-${role}`, app[role])).status).toBe(403)
    expect((await read(`guarded-by-${role}`)).archived).toBe(true)
  })
})

describe('404', () => {
  it('names the policy and the org', async () => {
    const { status, body } = await unarchive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Policy 'nothing' does not exist in organization 'acme'" })
  })
})
