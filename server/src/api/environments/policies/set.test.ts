import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeFingerprint } from '../../../../test/reports.ts'

const SCHEMA = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['a', 'b', 'c']) await app.member.put(`/policies/acme/${name}`, { policy_yaml: SCHEMA })
})
afterAll(() => app.stop())

const put = (name: string, policies?: string[], client = app.member) =>
  client.put('/environments/acme', {
    name,
    type: 'server',
    description: '',
    ...(policies ? { policies } : {}),
  })
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const listPolicyEvents = async (environment: string) =>
  (await app.readEvents())
    .filter(({ kind, data }) => kind.startsWith('policy_') && data.environment_name === environment)
    .map(({ kind, data }) => `${kind} ${data.policy_name}`)

async function readStored() {
  return [
    await app.sql('select * from environment_policies order by environment_id, policy_id'),
    (await app.readEvents()).length,
  ]
}

describe('the policies of a PUT or PATCH of an environment', () => {
  it('are replaced, and each change is recorded once', async () => {
    expect((await put('exact', ['a', 'b'])).status).toBe(201)
    expect((await read('exact')).policies).toEqual(['a', 'b'])
    expect((await put('exact', ['b', 'c', 'c'])).status).toBe(200)
    expect((await read('exact')).policies).toEqual(['b', 'c'])
    expect((await app.member.patch('/environments/acme/exact', { policies: [] })).status).toBe(200)
    expect((await read('exact')).policies).toEqual([])
    expect(await listPolicyEvents('exact')).toEqual([
      'policy_attached a',
      'policy_attached b',
      'policy_detached a',
      'policy_attached c',
      'policy_detached b',
      'policy_detached c',
    ])
  })

  it('stay if they are omitted or the same', async () => {
    await put('same', ['a', 'b'])
    const before = await readStored()
    await put('same')
    await put('same', ['a', 'b'])
    expect(await readStored()).toEqual(before)
  })

  it('keep the order in which they are sent, even if nothing else changes', async () => {
    await put('ordered', ['c', 'a', 'b'])
    expect((await read('ordered')).policies).toEqual(['c', 'a', 'b'])
    const before = (await app.readEvents()).length
    await put('ordered', ['b', 'c', 'a'])
    expect((await read('ordered')).policies).toEqual(['b', 'c', 'a'])
    expect(await app.readEvents()).toHaveLength(before)
    await app.member.patch('/environments/acme/ordered', { policies: ['a', 'b'] })
    expect((await read('ordered')).policies).toEqual(['a', 'b'])
  })

  it('make one snapshot together', async () => {
    await put('counted', ['a'])
    const artifacts = [{ digests: { stray: makeFingerprint('e') }, creationTimestamp: 1_700_000_000 }]
    await app.member.put('/environments/acme/counted/report/server', { artifacts })
    await app.member.patch('/environments/acme/counted', { policies: ['b', 'c'] })
    expect((await read('counted')).latest_snapshot_index).toBe(2)
  })

  it('are refused if one is unknown or archived, and nothing changes', async () => {
    await put('kept', ['a'])
    await app.member.put('/policies/acme/past', { policy_yaml: SCHEMA })
    await app.admin.put('/policies/acme/past/archive', null)
    const before = await readStored()
    expect((await put('kept', ['b', 'unknown'])).status).toBe(404)
    expect((await put('kept', ['b', 'past'])).status).toBe(400)
    expect(await readStored()).toEqual(before)
  })

  it('cannot be changed by a snapshotter, who may still PUT the environment', async () => {
    await put('evaluated', ['a'])
    const before = await readStored()
    expect((await put('evaluated', [], app.snapshotter)).status).toBe(403)
    expect((await put('evaluated', ['a', 'b'], app.snapshotter)).status).toBe(403)
    expect((await put('evaluated', ['a'], app.snapshotter)).status).toBe(200)
    expect((await put('evaluated', undefined, app.snapshotter)).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })
})
