import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await create('cluster', 'Customers')
})
afterAll(() => app.stop())

const create = (name: string, description: string, type = 'K8S') =>
  app.member.put('/environments/acme', { name, type, description })
const get = (name: string) => app.reader.get(`/environments/acme/${name}`)

describe('200', () => {
  it('returns the environment', async () => {
    const { status, body } = await get('cluster')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      org: 'acme',
      name: 'cluster',
      type: 'K8S',
      description: 'Customers',
      tags: {},
      policies: [],
      included_environments: null,
      html_url: 'http://waybill.test/acme/environments/cluster',
    })
  })

  it('returns when it was reported and changed, and its state', async () => {
    await create('reported', '')
    const at = new Date(Date.UTC(2026, 2, 4, 8, 0, 0, 250))
    await app.sql(
      `update environments set last_reported_at = $1, last_changed_at = $1, state = false, latest_index = 7
       where name = 'reported'`,
      [at],
    )
    const seconds = at.getTime() / 1000
    expect((await get('reported')).body).toMatchObject({
      last_reported_at: seconds,
      last_changed_at: seconds,
      state: false,
      latest_snapshot_index: 7,
    })
  })

  it('names the attached policies', async () => {
    await create('guarded', '')
    await app.sql(
      `with two as (
         insert into policies (org_id, policy_id, name, description, latest_version, created_by, created_at, last_modified_at)
         select e.org_id, gen_random_uuid(), p.policy, '', 1, 'ada', now(), now()
         from environments e, unnest(array['strict', 'lenient']) as p (policy) where e.name = 'guarded'
         returning org_id, policy_id
       )
       insert into environment_policies (org_id, environment_id, policy_id, attached_by, attached_at)
       select e.org_id, e.environment_id, two.policy_id, 'ada', now()
       from environments e join two on two.org_id = e.org_id where e.name = 'guarded'`,
    )
    expect((await get('guarded')).body.policies).toEqual(['lenient', 'strict'])
  })

  it('names the members of a logical environment by their current names', async () => {
    await create('first', '')
    await create('second', '')
    await create('all', '', 'logical')
    expect((await get('all')).body).toMatchObject({ included_environments: [], last_reported_at: null })
    await app.member.patch('/environments/acme/all', { included_environments: ['second', 'first'] })
    await app.member.put('/environments/acme/second/rename', { new_name: 'another' })
    expect((await get('all')).body.included_environments).toEqual(['another', 'first'])
  })

  it('is found by a former name until another environment takes it', async () => {
    await create('before', 'renamed')
    await app.member.put('/environments/acme/before/rename', { new_name: 'after' })
    const { body } = await get('before')
    expect(body).toMatchObject({ name: 'after', description: 'renamed' })
    expect((await get('after')).body).toEqual(body)
    await create('before', 'taken')
    expect((await get('before')).body).toMatchObject({ name: 'before', description: 'taken' })
  })

  it('makes one database round trip once the caller is in the auth cache', async () => {
    await get('cluster')
    expect(await recordWaits(app, () => get('cluster'))).toHaveLength(1)
  })
})

describe('404', () => {
  it('names the environment and the org', async () => {
    const { status, body } = await get('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nothing' does not exist for organization 'acme'" })
  })

  it('says that it is archived, also by a former name', async () => {
    await create('old', '')
    await app.member.put('/environments/acme/old/rename', { new_name: 'older' })
    await app.member.put('/environments/acme/older/archive', null)
    for (const name of ['old', 'older']) {
      const { status, body } = await get(name)
      expect(status).toBe(404)
      expect(body).toEqual({
        message: `Environment named '${name}' has been archived for organization 'acme'`,
      })
    }
  })

  it('does not find an environment of another org', async () => {
    await app.outsider.put('/environments/other-corp', { name: 'theirs', type: 'K8S' })
    expect((await get('theirs')).status).toBe(404)
  })
})
