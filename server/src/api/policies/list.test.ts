import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../../../test/harness.ts'

const YAML = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const create = (name: string, policy_yaml = YAML) => app.member.put(`/policies/acme/${name}`, { policy_yaml })

describe('200', () => {
  it('is an empty list before there is a policy', async () => {
    const { status, body } = await app.reader.get('/policies/acme')
    expect(status).toBe(200)
    expect(body).toEqual([])
  })

  it('lists policies by name, each as it is shown alone, and none that is archived or of others', async () => {
    for (const name of ['c', 'a', 'b', 'archived']) await create(name)
    await create('b', `${YAML}# more\n`)
    await app.admin.put('/policies/acme/archived/archive', null)
    await app.outsider.put('/policies/other-corp/theirs', { policy_yaml: YAML })
    await app.member.put('/environments/acme', { name: 'place', type: 'K8S', description: '' })
    await app.member.post('/environments/acme/place/policies', { policy_names: ['a', 'c'] })
    const { body } = await app.reader.get('/policies/acme')
    const alone = ['a', 'b', 'c'].map(async name => (await app.reader.get(`/policies/acme/${name}`)).body)
    expect(body).toEqual(await Promise.all(alone))
    expect(body[0].consuming_envs).toEqual(['place'])
    expect(body[1].versions).toHaveLength(2)
    expect((await app.outsider.get('/policies/other-corp')).body).toMatchObject([{ name: 'theirs' }])
  })
})
