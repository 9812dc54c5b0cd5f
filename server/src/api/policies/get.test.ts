import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const YAML = '_schema: https://waybill.example/v1\n'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) => app.member.put(`/policies/acme/${name}`, { policy_yaml: YAML })
const read = async (name: string) => (await app.reader.get(`/policies/acme/${name}`)).body

describe('200', () => {
  it('lists the environments it is attached to, by their current names', async () => {
    await create('used')
    for (const name of ['first', 'second']) {
      await app.member.put('/environments/acme', { name, type: 'server', description: '' })
      await app.member.post(`/environments/acme/${name}/policies`, { policy_names: ['used'] })
    }
    expect((await read('used')).consuming_envs).toEqual(['first', 'second'])
    await app.member.put('/environments/acme/first/rename', { new_name: 'third' })
    expect((await read('used')).consuming_envs).toEqual(['second', 'third'])
    await app.member.put('/environments/acme/third/archive', null)
    expect((await read('used')).consuming_envs).toEqual(['second'])
    await app.member.delete('/environments/acme/second/policies', { policy_names: ['used'] })
    expect((await read('used')).consuming_envs).toEqual([])
  })

  it('lists its events, oldest first', async () => {
    await create('told')
    await app.member.put('/environments/acme', { name: 'place', type: 'server', description: '' })
    app.clock.advance(1000)
    await app.admin.post('/environments/acme/place/policies', { policy_names: ['told'] })
    const now = app.clock.now().getTime() / 1000
    const data = { environment_name: 'place', policy_name: 'told' }
    expect((await read('told')).events).toEqual([
      { type: 'policy_created', timestamp: now - 1, user: 'max', data: { policy_name: 'told', version: 1 } },
      { type: 'policy_attached', timestamp: now, user: 'ada', data },
    ])
  })

  it('shows the newest thousand of many events', async () => {
    await create('busy')
    await app.sql(`
      insert into events (org_id, event_id, kind, happened_at, actor, request_id, policy_id, data)
      select p.org_id, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'policy_attached', now(), 'x', 'x',
             p.policy_id, jsonb_build_object('n', n)
      from policies p, generate_series(1, 1000) n where p.name = 'busy'`)
    const { events, events_count } = await read('busy')
    expect(events_count).toBe(1001)
    const numbers = events.map(({ data }: { data: { n: number } }) => data.n)
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1))
  })

  it('waits for the database once', async () => {
    await create('quick')
    await app.reader.get('/policies/acme/quick')
    expect(await recordWaits(app, () => app.reader.get('/policies/acme/quick'))).toHaveLength(1)
  })
})

describe('404', () => {
  it.each(['nothing', 'not a name', 'x'.repeat(300)])('names the policy and the org: %s', async name => {
    const { status, body } = await app.reader.get(`/policies/acme/${encodeURIComponent(name)}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `Policy '${name}' does not exist in organization 'acme'` })
  })

  it('does not find a policy of another org', async () => {
    await app.outsider.put('/policies/other-corp/theirs', { policy_yaml: YAML })
    expect((await app.reader.get('/policies/acme/theirs')).status).toBe(404)
  })
})
