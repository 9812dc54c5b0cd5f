import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, readLatestSnapshot, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'

const HOUR_MS = 3_600_000
const STRICT = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const ENTRY = {
  artifact_fingerprint: makeFingerprint('a'),
  artifact_name: 'postgres:17',
  description: 'Reviewed',
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const putEnvironment = (name: string, type = 'server') =>
  app.member.put('/environments/acme', { name, type, description: '' })
const allow = (name: string, more: object = {}) =>
  app.member.put(`/allowlists/acme/${name}`, { ...ENTRY, ...more })
const readList = async (name: string, query = '') =>
  (await app.reader.get(`/allowlists/acme/${name}${query}`)).body
const getNow = () => app.clock.now().getTime() / 1000
const listEventsAbout = async (environment_name: string) =>
  (await app.readEvents()).filter(({ data }) => data.environment_name === environment_name).slice(1)

async function readStored() {
  return [await app.sql('select * from allow_list order by entry_id'), (await app.readEvents()).length]
}

describe('201', () => {
  it('allows an artifact that nobody has reported', async () => {
    await putEnvironment('new')
    const { status, body } = await allow('new')
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect(await readList('new')).toEqual([
      {
        org: 'acme',
        environment_name: 'new',
        ...ENTRY,
        created_by: 'max',
        created_at: getNow(),
        expires_at: null,
        ended_at: null,
        ended_by: null,
        is_in_force: true,
      },
    ])
    const data = { environment_name: 'new', ...ENTRY, expires_at: null }
    expect(await app.readEvents('artifact_allow_listed')).toEqual([
      { kind: 'artifact_allow_listed', actor: 'max', data },
    ])
  })

  it('evaluates running artifacts at once', async () => {
    await putEnvironment('evaluated')
    await app.member.put('/policies/acme/strict', { policy_yaml: STRICT })
    await app.member.post('/environments/acme/evaluated/policies', { policy_names: ['strict'] })
    const artifacts = [{ digests: { 'postgres:17': makeFingerprint('a') }, creationTimestamp: 1_700_000_000 }]
    await app.member.put('/environments/acme/evaluated/report/server', { artifacts })
    const read = async () => (await app.reader.get('/environments/acme/evaluated')).body
    expect(await read()).toMatchObject({ state: false, latest_snapshot_index: 1 })
    await allow('evaluated')
    expect(await read()).toMatchObject({ state: true, latest_snapshot_index: 2 })
  })

  it('applies to one environment only', async () => {
    await putEnvironment('mine')
    await putEnvironment('not-mine')
    await allow('mine')
    expect(await readList('not-mine')).toEqual([])
    expect((await allow('not-mine')).status).toBe(201)
  })

  it('is in force until it expires; then the artifact can be allowed again', async () => {
    await putEnvironment('timed')
    const expires_at = getNow() + 3600.5
    expect((await allow('timed', { expires_at })).status).toBe(201)
    expect(await readList('timed')).toMatchObject([{ expires_at, is_in_force: true }])
    app.clock.advance(HOUR_MS + 500)
    expect(await readList('timed')).toEqual([])
    expect(await readList('timed', '?include_ended=true')).toMatchObject([{ is_in_force: false }])
    expect((await allow('timed')).status).toBe(201)
    expect(await readList('timed', '?include_ended=true')).toMatchObject([
      { expires_at, ended_at: expires_at, ended_by: null, is_in_force: false },
      { expires_at: null, ended_at: null, is_in_force: true },
    ])
    const { artifact_fingerprint, artifact_name } = ENTRY
    expect((await listEventsAbout('timed')).slice(1)).toEqual([
      {
        kind: 'allow_list_entry_expired',
        actor: 'waybill',
        data: { environment_name: 'timed', artifact_fingerprint, artifact_name },
      },
      {
        kind: 'artifact_allow_listed',
        actor: 'max',
        data: { environment_name: 'timed', ...ENTRY, expires_at: null },
      },
    ])
  })

  it('expires without a request: records the expiry and evaluates running artifacts without the entry', async () => {
    await makeEnvironment(app, 'ended')
    await putPolicy(app, 'strict-ended', STRICT)
    await attach(app, 'ended', 'strict-ended')
    const expires_at = getNow() + 60
    await allow('ended', { expires_at })
    await report(app, 'ended', 'a')
    expect((await readLatestSnapshot(app, 'ended')).compliant).toBe(true)
    app.clock.advance(60_000)
    await app.evaluate()
    expect(await readLatestSnapshot(app, 'ended')).toMatchObject({ index: 2, compliant: false })
    expect(await readList('ended', '?include_ended=true')).toMatchObject([
      { expires_at, ended_at: expires_at, ended_by: null, is_in_force: false },
    ])
    const { artifact_fingerprint, artifact_name } = ENTRY
    const isExpiry = ({ kind }: { kind: string }) => kind === 'allow_list_entry_expired'
    expect((await listEventsAbout('ended')).filter(isExpiry)).toEqual([
      {
        kind: 'allow_list_entry_expired',
        actor: 'waybill',
        data: { environment_name: 'ended', artifact_fingerprint, artifact_name },
      },
    ])
    await app.evaluate()
    expect((await listEventsAbout('ended')).filter(isExpiry)).toHaveLength(1)
  })

  it('does not cover artifacts that start after it expired, although nobody has ended it yet', async () => {
    await makeEnvironment(app, 'over')
    await putPolicy(app, 'strict-over', STRICT)
    await attach(app, 'over', 'strict-over')
    await allow('over', { expires_at: getNow() + 60 })
    app.clock.advance(59_000)
    await report(app, 'over', 'a')
    expect((await readLatestSnapshot(app, 'over')).compliant).toBe(true)
    await report(app, 'over')
    app.clock.advance(1_000)
    await report(app, 'over', 'a')
    expect(await readLatestSnapshot(app, 'over')).toMatchObject({
      compliant: false,
      artifacts: [{ allow_listed: null, compliant: false }],
    })
  })

  it('creates one entry when many identical requests arrive at the same time', async () => {
    await putEnvironment('raced')
    const answers = await Promise.all(Array.from({ length: 32 }, () => allow('raced')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(statuses.filter(status => status === 200)).toHaveLength(31)
    expect(await readList('raced', '?include_ended=true')).toHaveLength(1)
    expect(await listEventsAbout('raced')).toHaveLength(1)
  })
})

describe('200', () => {
  it('ends the active entry and adds the new one', async () => {
    await putEnvironment('changed')
    await allow('changed', { description: 'For a day' })
    app.clock.advance(1000)
    const other = { description: 'For ever', artifact_name: 'postgres:17.1' }
    const answer = await app.admin.put('/allowlists/acme/changed', { ...ENTRY, ...other })
    expect(answer.status).toBe(200)
    expect(await readList('changed', '?include_ended=true')).toMatchObject([
      {
        description: 'For a day',
        created_by: 'max',
        ended_at: getNow(),
        ended_by: 'ada',
        is_in_force: false,
      },
      { ...other, created_by: 'ada', created_at: getNow(), ended_at: null, is_in_force: true },
    ])
    expect((await listEventsAbout('changed')).map(({ kind }) => kind)).toEqual([
      'artifact_allow_listed',
      'artifact_allow_listed',
    ])
  })

  it('stores nothing when nothing changes', async () => {
    await putEnvironment('same')
    await allow('same', { expires_at: getNow() + 60 })
    const before = await readStored()
    app.clock.advance(1000)
    expect((await allow('same', { expires_at: getNow() + 59 })).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })

  it('keeps the expiry when it is omitted, and removes it for null', async () => {
    await putEnvironment('lasting')
    const expires_at = getNow() + 60
    await allow('lasting', { expires_at })
    await allow('lasting', { description: 'Other words' })
    expect(await readList('lasting')).toMatchObject([{ description: 'Other words', expires_at }])
    expect((await allow('lasting', { expires_at: null })).status).toBe(200)
    expect(await readList('lasting')).toMatchObject([{ description: 'Reviewed', expires_at: null }])
  })

  it('leaves one active entry when many different requests arrive at the same time', async () => {
    await putEnvironment('contested')
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) => allow('contested', { description: `reason ${i}` })),
    )
    for (const { status } of answers) expect([200, 201]).toContain(status)
    expect(await readList('contested')).toHaveLength(1)
    expect(await readList('contested', '?include_ended=true')).toHaveLength(32)
  })
})

describe('400', () => {
  it('refuses an expiry that is not in the future', async () => {
    await putEnvironment('late')
    const before = await readStored()
    for (const expires_at of [getNow(), getNow() - 1, 0]) {
      const { status, body } = await allow('late', { expires_at })
      expect(status).toBe(400)
      expect(body.errors).toEqual({ expires_at: `Input should be in the future [input: ${expires_at}]` })
    }
    expect(await readStored()).toEqual(before)
  })

  it.each<[string, object]>([
    ['artifact_fingerprint', { artifact_fingerprint: 'A'.repeat(64) }],
    ['artifact_fingerprint', { artifact_fingerprint: 'a'.repeat(63) }],
    ['artifact_name', { artifact_name: '' }],
    ['artifact_name', { artifact_name: 'x'.repeat(4097) }],
    ['description', { description: '' }],
    ['description', { description: undefined }],
    ['description', { description: 'x'.repeat(65_537) }],
    ['expires_at', { expires_at: '2030-01-01' }],
    ['expires_at', { expires_at: 1e12 }],
    ['expires_at', { expires_at: -1 }],
  ])('refuses a bad %s and stores nothing: %j', async (field, more) => {
    await putEnvironment('wrong')
    const before = await readStored()
    const { status, body } = await allow('wrong', more)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
    expect(await readStored()).toEqual(before)
  })

  it('refuses a logical environment', async () => {
    await putEnvironment('group', 'logical')
    const { status, body } = await allow('group')
    expect(status).toBe(400)
    expect(body.errors.env_name).toMatch(/^A logical environment has no allow-list of its own/)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await putEnvironment('guarded')
    expect((await app[role].put('/allowlists/acme/guarded', ENTRY)).status).toBe(403)
    expect(await readList('guarded')).toEqual([])
  })
})

describe('404', () => {
  it('names the environment', async () => {
    const { status, body } = await allow('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Environment named 'nothing' does not exist for organization 'acme'" })
  })
})
