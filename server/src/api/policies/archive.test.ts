import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const YAML = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) => app.member.put(`/policies/acme/${name}`, { policy_yaml: YAML })
const archive = (name: string, client = app.admin) => client.put(`/policies/acme/${name}/archive`, null)
const createEnvironment = (name: string) =>
  app.member.put('/environments/acme', { name, type: 'K8S', description: '' })
const attach = (name: string, policy: string) =>
  app.member.post(`/environments/acme/${name}/policies`, { policy_names: [policy] })
const read = async (name: string) => (await app.reader.get(`/policies/acme/${name}`)).body

describe('200', () => {
  it('removes the policy from the list and keeps its versions', async () => {
    await create('old')
    app.clock.advance(1000)
    const { status, body } = await archive('old')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect((await app.reader.get('/policies/acme')).body).toEqual([])
    const data = { policy_name: 'old', version: 1 }
    expect(await read('old')).toMatchObject({
      archived: true,
      last_modified_at: app.clock.now().getTime() / 1000,
      versions: [{ version: 1, policy_yaml: YAML }],
      events: [{ type: 'policy_created' }, { type: 'policy_archived', user: 'ada', data }],
    })
    expect(await app.readEvents('policy_archived')).toEqual([{ kind: 'policy_archived', actor: 'ada', data }])
  })

  it('changes nothing the second time', async () => {
    await create('twice')
    await archive('twice')
    const before = await app.readEvents()
    expect((await archive('twice')).status).toBe(200)
    expect(await app.readEvents()).toEqual(before)
  })

  it('ignores archived environments that the policy is attached to', async () => {
    await create('left')
    await createEnvironment('gone')
    await attach('gone', 'left')
    await app.member.put('/environments/acme/gone/archive', null)
    expect((await read('left')).consuming_envs).toEqual([])
    expect((await archive('left')).status).toBe(200)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter', 'member'] as const)('refuses a %s', async role => {
    await create('guarded')
    expect((await archive('guarded', app[role])).status).toBe(403)
    expect((await read('guarded')).archived).toBe(false)
  })
})

describe('404', () => {
  it('names the policy and the org', async () => {
    const { status, body } = await archive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Policy 'nothing' does not exist in organization 'acme'" })
  })

  it('does not reach a policy of another org', async () => {
    await app.outsider.put('/policies/other-corp/theirs', { policy_yaml: YAML })
    expect((await archive('theirs')).status).toBe(404)
    expect((await app.outsider.get('/policies/other-corp/theirs')).body.archived).toBe(false)
  })
})

describe('409', () => {
  it('names the environments that use it, until it is detached', async () => {
    await create('used')
    for (const name of ['b', 'a']) {
      await createEnvironment(name)
      await attach(name, 'used')
    }
    const before = await app.readEvents()
    const { status, body } = await archive('used')
    expect(status).toBe(409)
    expect(body).toEqual({ message: "Policy 'used' is attached to 'a', 'b'; detach it first" })
    expect(await app.readEvents()).toEqual(before)
    for (const name of ['b', 'a']) {
      await app.member.delete(`/environments/acme/${name}/policies`, { policy_names: ['used'] })
    }
    expect((await archive('used')).status).toBe(200)
  })

  it('is refused, or the concurrent attach is', async () => {
    for (let i = 0; i < 8; i++) {
      await create(`contested-${i}`)
      await createEnvironment(`place-${i}`)
      const [archived, attached] = await Promise.all([
        archive(`contested-${i}`),
        attach(`place-${i}`, `contested-${i}`),
      ])
      expect([[200, 400].join(), [409, 200].join()]).toContain([archived.status, attached.status].join())
      const policy = await read(`contested-${i}`)
      expect(policy.consuming_envs).toEqual(policy.archived ? [] : [`place-${i}`])
    }
  })
})
