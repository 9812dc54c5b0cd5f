import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeFingerprint } from '../../../../test/reports.ts'

const SCHEMA = '_schema: https://waybill.example/v1\n'
const STRICT = `${SCHEMA}artifacts:\n  provenance:\n    required: true\n`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/policies/acme/strict', { policy_yaml: STRICT })
  await app.member.put('/policies/acme/lenient', { policy_yaml: SCHEMA })
})
afterAll(() => app.stop())

async function putEnvironmentWith(name: string, ...policy_names: string[]): Promise<void> {
  await app.member.put('/environments/acme', { name, type: 'server', description: '' })
  if (policy_names.length > 0) await app.member.post(`/environments/acme/${name}/policies`, { policy_names })
}
const detach = (name: string, ...policy_names: string[]) =>
  app.member.delete(`/environments/acme/${name}/policies`, { policy_names })
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body

async function readStored() {
  return [
    await app.sql('select * from environment_policies order by environment_id, policy_id'),
    await app.sql('select * from environments order by environment_id'),
    (await app.readEvents()).length,
  ]
}

describe('200', () => {
  it('detaches the policies named in the body and records an event for each', async () => {
    await putEnvironmentWith('both', 'strict', 'lenient')
    const { last_modified_at } = await read('both')
    app.clock.advance(1000)
    const { status, body } = await detach('both', 'strict', 'strict')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    // A Terraform plan would show a changed output.
    expect(await read('both')).toMatchObject({ policies: ['lenient'], last_modified_at })
    expect(await app.readEvents('policy_detached')).toEqual([
      { kind: 'policy_detached', actor: 'max', data: { environment_name: 'both', policy_name: 'strict' } },
    ])
    expect((await app.reader.get('/policies/acme/strict')).body.events.at(-1).type).toBe('policy_detached')
  })

  it('stores nothing if the policy is not attached', async () => {
    await putEnvironmentWith('without', 'lenient')
    const before = await readStored()
    app.clock.advance(1000)
    expect((await detach('without', 'strict')).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })

  it('evaluates running artifacts at once; without a policy the state is unknown', async () => {
    await putEnvironmentWith('evaluated', 'strict', 'lenient')
    const artifacts = [{ digests: { stray: makeFingerprint('e') }, creationTimestamp: 1_700_000_000 }]
    await app.member.put('/environments/acme/evaluated/report/server', { artifacts })
    expect(await read('evaluated')).toMatchObject({ state: false, latest_snapshot_index: 1 })
    await detach('evaluated', 'strict')
    expect(await read('evaluated')).toMatchObject({ state: true, latest_snapshot_index: 2 })
    await detach('evaluated', 'strict', 'lenient')
    expect(await read('evaluated')).toMatchObject({ state: null, latest_snapshot_index: 3 })
  })

  it('detaches once for concurrent requests', async () => {
    await putEnvironmentWith('raced', 'strict')
    const before = (await app.readEvents('policy_detached')).length
    const answers = await Promise.all(Array.from({ length: 16 }, () => detach('raced', 'strict')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await app.readEvents('policy_detached')).toHaveLength(before + 1)
  })

  it('detaches an archived policy from a restored environment', async () => {
    await app.member.put('/policies/acme/past', { policy_yaml: SCHEMA })
    await putEnvironmentWith('back', 'past')
    await app.member.put('/environments/acme/back/archive', null)
    await app.admin.put('/policies/acme/past/archive', null)
    await app.member.put('/environments/acme/back/unarchive', null)
    expect((await read('back')).policies).toEqual(['past'])
    expect((await detach('back', 'past')).status).toBe(200)
    expect((await read('back')).policies).toEqual([])
  })
})

describe('400', () => {
  it('refuses a logical environment and an empty list', async () => {
    await app.member.put('/environments/acme', { name: 'group', type: 'logical', description: '' })
    const logical = await detach('group', 'strict')
    expect(logical.status).toBe(400)
    expect(logical.body.errors.policy_names).toMatch(/^A logical environment has no policies of its own/)
    await putEnvironmentWith('wrong')
    const { status, body } = await detach('wrong')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ policy_names: 'List should have at least 1 item [input: []]' })
  })

  it('requires a body', async () => {
    await putEnvironmentWith('bare')
    const { status, body } = await app.member.delete('/environments/acme/bare/policies')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ body: 'Field required [input: None]' })
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await putEnvironmentWith('guarded', 'strict')
    const sent = { policy_names: ['strict'] }
    expect((await app[role].delete('/environments/acme/guarded/policies', sent)).status).toBe(403)
    expect((await read('guarded')).policies).toEqual(['strict'])
  })
})

describe('404', () => {
  it('names the environment or the policy and detaches none', async () => {
    await putEnvironmentWith('partly', 'strict')
    const before = await readStored()
    const environment = await detach('nothing', 'strict')
    const sentence = "Environment named 'nothing' does not exist for organization 'acme'"
    expect([environment.status, environment.body]).toEqual([404, { message: sentence }])
    const policy = await detach('partly', 'strict', 'unknown')
    const policyMessage = "Policy 'unknown' does not exist in organization 'acme'"
    expect([policy.status, policy.body]).toEqual([404, { message: policyMessage }])
    expect(await readStored()).toEqual(before)
  })
})
