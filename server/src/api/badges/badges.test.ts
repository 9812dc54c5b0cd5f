import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { freezeOrg, markMoved, thawOrg } from '../../admin/freeze.ts'
import { makeIds } from '../../lib/ids.ts'
import { systemSecrets } from '../../lib/secrets.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build', 'version: 1\ntrail:\n  attestations:\n    - {name: unit, type: generic}\n')
  await putPolicy(app, 'tested', buildPolicyRequiring('unit'))
})
afterAll(() => app.stop())

const HOUR_MS = 3_600_000

async function create(body: Record<string, unknown>) {
  const answer = await app.admin.post('/badge-tokens/acme', body)
  expect(answer.status).toBe(201)
  return answer.body
}

const load = (token: string, headers: Record<string, string> = {}) =>
  app.anonymous.call('GET', `/badges/${token}.svg`, undefined, headers)

/** The title of the picture. */
async function read(token: string): Promise<string | undefined> {
  const { status, text } = await load(token)
  expect(status).toBe(200)
  return /<title>(.*)<\/title>/.exec(text)?.[1]
}

const attest = (trail: string, is_compliant: boolean, fingerprint?: string) =>
  app.member.post(`/attestations/acme/build/trail/${trail}/generic`, {
    attestation_name: 'unit',
    is_compliant,
    ...(fingerprint === undefined ? {} : { artifact_fingerprint: fingerprint }),
  })

const reportArtifact = (start: string) =>
  app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), nameTrail(start)))

describe('201', () => {
  it('shows the token once, stores only its hash and records who created it', async () => {
    await makeEnvironment(app, 'prod')
    const { id, token, ...rest } = await create({ environment_name: 'prod' })
    expect(token).toMatch(/^wb_badge_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    const url = `http://waybill.test/api/v2/badges/${token}.svg`
    const html_url = 'http://waybill.test/acme/environments/prod'
    const shown = {
      shows: 'environment',
      environment_name: 'prod',
      flow_name: null,
      fingerprint: null,
      label: null,
      created_by: 'ada',
      created_at: app.clock.now().getTime() / 1000,
      hint: token.slice(0, 21),
    }
    expect(rest).toEqual({ ...shown, url, html_url, markdown: `[![prod](${url})](${html_url})` })
    expect((await app.admin.get('/badge-tokens/acme')).body).toEqual([{ id, ...shown }])
    expect(JSON.stringify(await app.sql('select *, secret_hash::text from badges'))).not.toContain(token)
    const [event] = await app.readEvents('badge_created')
    expect(event).toMatchObject({ actor: 'ada', data: { badge_id: id, environment_name: 'prod' } })
    expect(JSON.stringify(await app.readEvents())).not.toContain(token)
  })

  it('has a label instead of the name', async () => {
    await makeEnvironment(app, 'secret-name')
    const { token, markdown } = await create({ environment_name: 'secret-name', label: '<Shop> & co' })
    expect(markdown).toMatch(/^\[!\[\\<Shop\\> \\& co\]/)
    const { text } = await load(token)
    expect(text).toContain('<title>&lt;Shop&gt; &amp; co: unknown</title>')
    expect(text).not.toContain('secret-name')
  })
})

describe('the state', () => {
  it('of an environment is unknown without policies and reports, and never green by mistake', async () => {
    await makeEnvironment(app, 'fresh')
    const { token } = await create({ environment_name: 'fresh' })
    expect(await read(token)).toBe('fresh: unknown')
    await report(app, 'fresh', '1a')
    expect(await read(token)).toBe('fresh: unknown')
    const because = { state: null, unknown_because: 'no-policies' }
    expect((await app.reader.get('/environments/acme/fresh')).body).toMatchObject(because)
    expect((await app.reader.get('/snapshots/acme/fresh/1')).body).toMatchObject(because)
  })

  it('of an environment follows its verdict, its name and its silence', async () => {
    await makeEnvironment(app, 'live', { expected_report_interval: 3600 })
    await attach(app, 'live', 'tested')
    const { token } = await create({ environment_name: 'live' })
    await reportArtifact('2a')
    await report(app, 'live', '2a')
    await app.evaluate()
    expect(await read(token)).toBe('live: non-compliant')
    await attest('2a', true, makeFingerprint('2a'))
    await app.evaluate()
    expect(await read(token)).toBe('live: compliant')
    // Evidence that nobody has evaluated for a minute: the verdict may have changed.
    await attest('2a', true, makeFingerprint('2a'))
    app.clock.advance(61_000)
    expect((await app.reader.get('/environments/acme/live')).body).toMatchObject({
      state: true,
      unknown_because: 'not-evaluated',
    })
    expect((await app.reader.get('/snapshots/acme/live/-1')).body.unknown_because).toBe('not-evaluated')
    expect(await read(token)).toBe('live: unknown')
    await app.evaluate()
    expect(await read(token)).toBe('live: compliant')
    await app.member.put('/environments/acme/live/rename', { new_name: 'lively' })
    expect(await read(token)).toBe('lively: compliant')
    app.clock.advance(4 * HOUR_MS)
    expect(await read(token)).toBe('lively: stale')
    await app.admin.put('/environments/acme/lively/archive')
    expect(await read(token)).toBe('lively: unknown')
  })

  it('of an environment whose last report was partial is unknown', async () => {
    await makeEnvironment(app, 'half')
    await attach(app, 'half', 'tested')
    const { token } = await create({ environment_name: 'half' })
    await report(app, 'half')
    expect(await read(token)).toBe('half: compliant')
    const partial = { artifacts: [], is_partial: true, missing: ['namespace x'] }
    expect((await app.snapshotter.put('/environments/acme/half/report/K8S', partial)).status).toBeLessThan(
      300,
    )
    expect(await read(token)).toBe('half: unknown')
  })

  it('of a flow shows its newest trail', async () => {
    const { token, html_url } = await create({ flow_name: 'build', label: 'CI' })
    expect(html_url).toBe('http://waybill.test/acme/flows/build')
    await app.member.put('/trails/acme/build', { name: 'first' })
    expect(await read(token)).toBe('CI: unknown')
    await attest('first', true)
    expect(await read(token)).toBe('CI: compliant')
    await attest('first', false)
    expect(await read(token)).toBe('CI: non-compliant')
    await app.member.put('/trails/acme/build', { name: 'second' })
    expect(await read(token)).toBe('CI: unknown')
  })

  it('of an artifact in an environment is the answer of its gate', async () => {
    await makeEnvironment(app, 'gate', { expected_report_interval: 3600 })
    const fingerprint = makeFingerprint('3a')
    const { token } = await create({ environment_name: 'gate', fingerprint })
    expect(await read(token)).toBe('3aaaaaa in gate: unknown')
    await reportArtifact('3a')
    expect(await read(token)).toBe('3aaaaaa in gate: unknown')
    await attach(app, 'gate', 'tested')
    expect(await read(token)).toBe('3aaaaaa in gate: non-compliant')
    await attest('3a', true, fingerprint)
    expect(await read(token)).toBe('3aaaaaa in gate: compliant')
    await report(app, 'gate', '3a')
    app.clock.advance(4 * HOUR_MS)
    expect(await read(token)).toBe('3aaaaaa in gate: stale')
  })
})

describe('200', () => {
  it('is an image that may be kept for a minute, and runs nothing', async () => {
    await makeEnvironment(app, 'cached')
    const { token } = await create({ environment_name: 'cached' })
    const { status, headers } = await load(token)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8')
    expect(headers['cache-control']).toBe('public, max-age=60, must-revalidate')
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(headers['content-disposition']).toBeUndefined()
    const again = await load(token, { 'if-none-match': String(headers.etag) })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.etag).toBe(headers.etag)
    expect((await load(token, { 'if-none-match': '"other"' })).status).toBe(200)
    await attach(app, 'cached', 'tested')
    await report(app, 'cached')
    expect((await load(token, { 'if-none-match': String(headers.etag) })).status).toBe(200)
  })

  it('revokes, and the picture is gone', async () => {
    await makeEnvironment(app, 'old')
    const { id, token } = await create({ environment_name: 'old' })
    const answer = await app.admin.delete(`/badge-tokens/acme/${id}`)
    expect([answer.status, answer.body]).toEqual([200, 'revoked'])
    expect((await load(token)).status).toBe(404)
    const listed = (await app.admin.get('/badge-tokens/acme')).body
    expect(listed.map((badge: { id: string }) => badge.id)).not.toContain(id)
    const [event] = (await app.readEvents('badge_revoked')).slice(-1)
    expect(event).toMatchObject({ actor: 'ada', data: { badge_id: id, hint: token.slice(0, 21) } })
    expect((await app.admin.delete(`/badge-tokens/acme/${id}`)).status).toBe(404)
  })
})

describe('400', () => {
  it.each([
    [{}, 'environment_name'],
    [{ environment_name: 'prod', flow_name: 'build' }, 'flow_name'],
    [{ flow_name: 'build', fingerprint: makeFingerprint('a') }, 'fingerprint'],
    [{ environment_name: 'prod', fingerprint: 'abc' }, 'fingerprint'],
    [{ environment_name: 'prod', label: '' }, 'label'],
    [{ environment_name: 'prod', label: 'x'.repeat(49) }, 'label'],
  ])('refuses %j', async (body, field) => {
    const answer = await app.admin.post('/badge-tokens/acme', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toHaveProperty([field])
  })
})

describe('403', () => {
  it('lets only admins create, list and revoke', async () => {
    await makeEnvironment(app, 'guarded')
    const { id } = await create({ environment_name: 'guarded' })
    for (const client of [app.member, app.snapshotter, app.reader, app.outsider]) {
      expect((await client.post('/badge-tokens/acme', { environment_name: 'guarded' })).status).toBe(403)
      expect((await client.get('/badge-tokens/acme')).status).toBe(403)
      expect((await client.delete(`/badge-tokens/acme/${id}`)).status).toBe(403)
    }
  })
})

describe('404', () => {
  it.each([{ environment_name: 'none' }, { flow_name: 'none' }])(
    'for %j, which does not exist',
    async body => {
      expect((await app.admin.post('/badge-tokens/acme', body)).status).toBe(404)
    },
  )

  it('is the same for a token that is malformed, unknown, of another kind, revoked, deleted or moved', async () => {
    const env = { name: 'theirs', type: 'K8S', description: '' }
    await app.outsider.put('/environments/other-corp', env)
    const { body } = await app.outsider.post('/badge-tokens/other-corp', { environment_name: 'theirs' })
    expect((await load(body.token)).status).toBe(200)
    const tools = { owner: app.owner, clock: app.clock, ids: makeIds(app.clock) }
    const answers = [
      await load('x'),
      await load(systemSecrets.createToken('badge').key),
      await load(systemSecrets.createToken('user').key),
      await load(body.token.slice(0, -1)),
    ]
    await freezeOrg(tools, 'other-corp', 'test')
    expect((await load(body.token)).status).toBe(200)
    await markMoved(tools, 'other-corp', 'us')
    answers.push(await load(body.token))
    await thawOrg(tools, 'other-corp')
    expect((await load(body.token)).status).toBe(200)
    await app.sql("update orgs set delete_requested_at = now() where name = 'other-corp'")
    answers.push(await load(body.token))
    await app.sql("update orgs set delete_requested_at = null where name = 'other-corp'")
    await app.outsider.delete(`/badge-tokens/other-corp/${body.id}`)
    answers.push(await load(body.token))
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([404, '{"message":"There is no such badge"}'])
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  it('for a badge of another organization', async () => {
    const { body } = await app.outsider.post('/badge-tokens/other-corp', { environment_name: 'theirs' })
    expect((await app.admin.delete(`/badge-tokens/acme/${body.id}`)).status).toBe(404)
    expect((await app.outsider.get('/badge-tokens/other-corp')).body).toHaveLength(1)
  })

  it('for a badge that does not exist', async () => {
    expect((await app.admin.delete('/badge-tokens/acme/x')).status).toBe(404)
  })
})

describe('401', () => {
  it('for a badge token as a key', async () => {
    await makeEnvironment(app, 'pictured')
    const { token } = await create({ environment_name: 'pictured' })
    expect((await app.makeClientWith(token).get('/flows/acme')).status).toBe(401)
  })
})

describe('409', () => {
  it('for a retry, which creates nothing', async () => {
    const post = (label: string) =>
      app.admin.call(
        'POST',
        '/badge-tokens/acme',
        { environment_name: 'prod', label },
        { 'idempotency-key': 'once' },
      )
    expect((await post('a')).status).toBe(201)
    const before = (await app.admin.get('/badge-tokens/acme')).body.length
    expect((await post('a')).status).toBe(409)
    expect((await post('b')).status).toBe(422)
    expect((await app.admin.get('/badge-tokens/acme')).body).toHaveLength(before)
  })

  it('allows 200 badges', async () => {
    const existing = (await app.admin.get('/badge-tokens/acme')).body.length
    await app.sql(
      `insert into badges (org_id, badge_id, secret_hash, hint, flow_id, created_by, created_at)
       select f.org_id, gen_random_uuid(), sha256(n::text::bytea), 'h', f.flow_id, 'x', now()
       from flows f, generate_series(1, $1::int) n where f.name = 'build'`,
      [199 - existing],
    )
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.admin.post('/badge-tokens/acme', { environment_name: 'prod' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('429', () => {
  it('counts as anonymous traffic', async () => {
    const slow = await startTestApp({ settings: { WAYBILL_RATE_LIMIT_ANONYMOUS: '2/m' } })
    const statuses = [1, 2, 3].map(async () => (await slow.anonymous.get('/badges/x.svg')).status)
    expect((await Promise.all(statuses)).sort()).toEqual([404, 404, 429])
    await slow.stop()
  })
})
