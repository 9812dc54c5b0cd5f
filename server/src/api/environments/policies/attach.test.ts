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

const putEnvironment = (name: string, type = 'server') =>
  app.member.put('/environments/acme', { name, type, description: '' })
const attach = (name: string, ...policy_names: string[]) =>
  app.member.post(`/environments/acme/${name}/policies`, { policy_names })
const read = async (name: string) => (await app.reader.get(`/environments/acme/${name}`)).body
const readLatestIndex = async (name: string) => (await read(name)).latest_snapshot_index

async function readStored() {
  return [
    await app.sql('select * from environment_policies order by environment_id, policy_id'),
    await app.sql('select * from environments order by environment_id'),
    (await app.readEvents()).length,
  ]
}

describe('200', () => {
  it('attaches policies and records an event for each', async () => {
    await putEnvironment('both')
    const { last_modified_at } = await read('both')
    app.clock.advance(1000)
    const { status, body } = await attach('both', 'strict', 'lenient', 'strict')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    // A Terraform plan would show a changed output.
    expect(await read('both')).toMatchObject({ policies: ['strict', 'lenient'], last_modified_at })
    const events = (await app.readEvents('policy_attached')).map(({ actor, data }) => ({ actor, data }))
    expect(events).toEqual([
      { actor: 'max', data: { environment_name: 'both', policy_name: 'strict' } },
      { actor: 'max', data: { environment_name: 'both', policy_name: 'lenient' } },
    ])
    const rows = await app.sql(`select e.name as environment, p.name as policy, a.attached_by
      from events v join environments e using (org_id, environment_id) join policies p using (org_id, policy_id)
      join environment_policies a using (org_id, environment_id, policy_id)
      where v.kind = 'policy_attached' order by v.event_id`)
    expect(rows.map(row => Object.values(row))).toEqual([
      ['both', 'strict', 'max'],
      ['both', 'lenient', 'max'],
    ])
  })

  it('stores nothing the second time', async () => {
    await putEnvironment('twice')
    await attach('twice', 'strict')
    const before = await readStored()
    app.clock.advance(1000)
    expect((await attach('twice', 'strict')).status).toBe(200)
    expect(await readStored()).toEqual(before)
    expect((await attach('twice', 'strict', 'lenient')).status).toBe(200)
    expect((await app.readEvents('policy_attached')).at(-1)?.data.policy_name).toBe('lenient')
  })

  it('evaluates running artifacts at once, in one snapshot however many policies are attached', async () => {
    await putEnvironment('evaluated')
    await reportTo('evaluated')
    expect(await read('evaluated')).toMatchObject({ state: null, latest_snapshot_index: 1 })
    await attach('evaluated', 'strict', 'lenient')
    expect(await read('evaluated')).toMatchObject({ state: false, latest_snapshot_index: 2 })
    await attach('evaluated', 'strict')
    expect(await readLatestIndex('evaluated')).toBe(2)
  })

  it('attaches once for concurrent requests', async () => {
    await putEnvironment('raced')
    await reportTo('raced')
    const before = (await app.readEvents('policy_attached')).length
    const answers = await Promise.all(Array.from({ length: 16 }, () => attach('raced', 'strict')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await app.readEvents('policy_attached')).toHaveLength(before + 1)
    expect(await readLatestIndex('raced')).toBe(2)
  })

  it('misses no policy version that is stored concurrently', async () => {
    for (let i = 0; i < 8; i++) {
      await putEnvironment(`versioned-${i}`)
      await reportTo(`versioned-${i}`)
      await app.member.put(`/policies/acme/changing-${i}`, { policy_yaml: SCHEMA })
      const [put] = await Promise.all([
        app.member.put(`/policies/acme/changing-${i}`, { policy_yaml: STRICT }),
        attach(`versioned-${i}`, `changing-${i}`),
      ])
      expect(put.status).toBe(200)
      // The new version has either been evaluated already, or its evaluation is pending.
      const pending = await app.sql(
        `select 1 from pending_judgements join environments e using (org_id, environment_id) where e.name = $1`,
        [`versioned-${i}`],
      )
      expect((await read(`versioned-${i}`)).state === false || pending.length > 0).toBe(true)
    }
  })

  it('accepts a former name', async () => {
    await putEnvironment('before')
    await app.member.put('/environments/acme/before/rename', { new_name: 'after' })
    expect((await attach('before', 'strict')).status).toBe(200)
    expect((await app.readEvents('policy_attached')).at(-1)?.data.environment_name).toBe('after')
  })

  it('is stored once per idempotency key', async () => {
    await putEnvironment('named')
    const path = '/environments/acme/named/policies'
    const key = { 'idempotency-key': 'attach-once' }
    const post = (policy_names: string[]) => app.member.call('POST', path, { policy_names }, key)
    expect((await post(['strict'])).status).toBe(200)
    await app.member.delete(path, { policy_names: ['strict'] })
    expect((await post(['strict'])).status).toBe(200)
    expect((await read('named')).policies).toEqual([])
    const other = await post(['lenient'])
    expect([other.status, other.body.message]).toEqual([
      422,
      'This Idempotency-Key was already used for a different request. Use a new key for each request.',
    ])
  })
})

describe('400', () => {
  it('refuses a logical environment', async () => {
    await putEnvironment('group', 'logical')
    const before = await readStored()
    const { status, body } = await attach('group', 'strict')
    expect(status).toBe(400)
    expect(body.errors.policy_names).toMatch(/^A logical environment has no policies of its own/)
    expect(await readStored()).toEqual(before)
  })

  it('refuses an archived policy and every policy sent with it', async () => {
    await putEnvironment('late')
    await app.member.put('/policies/acme/past', { policy_yaml: SCHEMA })
    await app.admin.put('/policies/acme/past/archive', null)
    const before = await readStored()
    const { status, body } = await attach('late', 'strict', 'past')
    expect(status).toBe(400)
    const sentence = `Policy 'past' is archived in organization 'acme' [input: ["past"]]`
    expect(body.errors).toEqual({ policy_names: sentence })
    expect(await readStored()).toEqual(before)
  })

  it.each([
    ['no names', { policy_names: [] }, 'policy_names'],
    ['too many names', { policy_names: Array.from({ length: 101 }, (_, i) => `p${i}`) }, 'policy_names'],
    ['an empty name', { policy_names: [''] }, 'policy_names[0]'],
    ['one name without a list', { policy_names: 'strict' }, 'policy_names'],
    ['nothing', {}, 'policy_names'],
  ])('refuses %s', async (_what, sent, field) => {
    await putEnvironment('wrong')
    const { status, body } = await app.member.post('/environments/acme/wrong/policies', sent)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await putEnvironment('guarded')
    const sent = { policy_names: ['strict'] }
    expect((await app[role].post('/environments/acme/guarded/policies', sent)).status).toBe(403)
    expect((await read('guarded')).policies).toEqual([])
  })
})

describe('404', () => {
  it('names the environment, even an archived one', async () => {
    const missing = await attach('nothing', 'strict')
    const sentence = "Environment named 'nothing' does not exist for organization 'acme'"
    expect([missing.status, missing.body]).toEqual([404, { message: sentence }])
    await putEnvironment('gone')
    await app.member.put('/environments/acme/gone/archive', null)
    const archived = await attach('gone', 'strict')
    const events = "Environment named 'gone' has been archived for organization 'acme'"
    expect([archived.status, archived.body]).toEqual([404, { message: events }])
  })

  it('names the unknown policy and attaches none', async () => {
    await putEnvironment('partly')
    await app.outsider.put('/policies/other-corp/theirs', { policy_yaml: SCHEMA })
    const before = await readStored()
    for (const name of ['no such', 'theirs']) {
      const { status, body } = await attach('partly', 'strict', name)
      expect(status).toBe(404)
      expect(body).toEqual({ message: `Policy '${name}' does not exist in organization 'acme'` })
    }
    expect(await readStored()).toEqual(before)
  })
})

/** Reports a running artifact that no flow built. */
async function reportTo(name: string): Promise<void> {
  const artifacts = [{ digests: { stray: makeFingerprint('e') }, creationTimestamp: 1_700_000_000 }]
  const { status } = await app.member.put(`/environments/acme/${name}/report/server`, { artifacts })
  expect(status).toBe(200)
}
