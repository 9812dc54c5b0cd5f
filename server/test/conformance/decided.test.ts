// Rows of docs/decisions.md that no other test proves: how requests are checked, and what counts when there are several.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asksFor, attach, imageOf, makeEnvironment, putPolicy, report } from '../environments.ts'
import { type TestApp, testApp } from '../harness.ts'
import { build, makeFlow, on, print } from '../reports.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: unit
          type: generic
    - name: other
`

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

const artifact = (start: string, trail: string, name = 'image', flow = 'ci') =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    build(print(start), { ...on(trail, name), filename: imageOf(start) }),
  )

const attest = (start: string, trail: string, is_compliant: boolean) =>
  app.member.post(`/attestations/acme/ci/trail/${trail}/generic`, {
    attestation_name: 'unit',
    is_compliant,
    artifact_fingerprint: print(start),
  })

describe('a request', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await testApp({ settings: { WAYBILL_RATE_LIMIT: '5/m' } })
  })
  afterAll(() => limited.stop())

  it('is checked for its key, its rate, the organization and the role, before anything that it says', async () => {
    const bad = '/flows/acme/no%20name/rename?no_such_parameter=1'
    const body = { no_such_property: 1 }
    expect((await limited.clientWith('not-a-key-of-anybody').put(bad, body)).status).toBe(401)
    expect((await limited.outsider.put(bad, body)).body.message).toMatch(/^Access denied/)
    expect((await limited.reader.put(bad, body)).body.message).toMatch(/permission/)
    for (let i = 0; i < 4; i++) await limited.outsider.get('/flows/other-corp')
    expect((await limited.outsider.put(bad, body)).status).toBe(429)
  })

  it('has its path checked before its query, and that before its body', async () => {
    const errorsOf = async (path: string) => {
      const answer = await app.member.call('PUT', path, { no_such_property: 1 })
      return [answer.status, Object.keys(answer.body.errors)]
    }
    const long = 'x'.repeat(300)
    expect(await errorsOf(`/environments/acme/${long}/archive?no_such_parameter=1`)).toEqual([
      400,
      ['query.no_such_parameter'],
    ])
    expect(await errorsOf('/environments/acme/prod/archive')).toEqual([400, ['no_such_property']])
    const version = await app.reader.get('/policies/acme/x/versions/none?no_such_parameter=1')
    expect([version.status, Object.keys(version.body.errors)]).toEqual([400, ['version']])
  })
})

describe('a fingerprint that several trails know', () => {
  it('counts with the trail that began last', async () => {
    for (const trail of ['earlier', 'later']) await app.member.put('/trails/acme/ci', { name: trail })
    await artifact('1a', 'later')
    await artifact('1a', 'earlier')
    await attest('1a', 'earlier', true)
    const ask = async () => (await app.reader.get(`/asserts/acme/fingerprint/${print('1a')}`)).body
    expect(await ask()).toMatchObject({ compliant: false })
    await attest('1a', 'later', true)
    expect(await ask()).toMatchObject({ compliant: true })
  })

  it('counts as not compliant when it is so under one of two names on a trail', async () => {
    await artifact('1b', 'two-names', 'image')
    await artifact('1b', 'two-names', 'other')
    await makeEnvironment(app, 'two-names')
    const policy =
      '_schema: https://waybill.example/v1\nartifacts:\n  trail-compliance:\n    required: true\n'
    await putPolicy(app, 'two-names', policy)
    await attach(app, 'two-names', 'two-names')
    await report(app, 'two-names', '1b')
    const { body } = await app.reader.get('/snapshots/acme/two-names/-1')
    expect(body.artifacts[0]).toMatchObject({ compliance_state: 'NON-COMPLIANT' })
    expect(body.artifacts[0].flows[0]).toMatchObject({ template_reference_name: 'image' })
  })

  it('is still known to a flow that was archived', async () => {
    await makeFlow(app, 'retired')
    await artifact('1c', 'run', 'image', 'retired')
    await app.member.put('/flows/acme/retired/archive', null)
    await makeEnvironment(app, 'archived-flow')
    await putPolicy(app, 'archived-flow', asksFor())
    await attach(app, 'archived-flow', 'archived-flow')
    await report(app, 'archived-flow', '1c')
    const { body } = await app.reader.get('/environments/acme/archived-flow')
    expect(body.state).toBe(true)
  })
})

describe('a prefix that several fingerprints begin with', () => {
  it('is 404 for an audit package, and lists the attestations of all of them', async () => {
    for (const start of ['abcde1', 'abcde2']) {
      await artifact(start, `run-${start}`)
      await attest(start, `run-${start}`, true)
    }
    const packaged = await app.reader.get('/artifacts/acme/ci/fingerprint/abcde/audit_package')
    expect(packaged.status).toBe(404)
    const { body } = await app.reader.get('/attestations/acme/ci/artifact/abcde/unit')
    const found = body.map((one: { artifact_fingerprint: string }) => one.artifact_fingerprint)
    expect(found).toEqual([print('abcde2'), print('abcde1')])
  })
})

describe('a report of an artifact', () => {
  it('decides nothing by is_compliant and template, which old clients send', async () => {
    const sent = build(print('2a'), { ...on('decides'), is_compliant: true, template: 'version: 1' })
    expect((await app.member.post('/artifacts/acme/ci', sent)).status).toBe(201)
    const { body } = await app.reader.get('/trails/acme/ci/decides')
    expect(body).toMatchObject({ compliance_state: 'INCOMPLETE', template: { content: TEMPLATE } })
  })

  it('without any commit is shown with an empty one', async () => {
    await app.member.post('/artifacts/acme/ci', build(print('2b'), { ...on('bare'), git_commit: undefined }))
    const { body } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${print('2b')}`)
    expect(body.git_commit).toBe('')
  })

  it('that is refused leaves no repository behind', async () => {
    const repo_info = { id: '8', name: 'acme/refused', url: 'https://git.example.com/r', provider: 'github' }
    const refused = build(print('2d'), { ...on('refused'), repo_info, no_such_property: 1 })
    expect((await app.member.post('/artifacts/acme/ci', refused)).status).toBe(400)
    const elsewhere = build(print('2d'), { ...on('refused'), repo_info })
    expect((await app.member.post('/artifacts/acme/no-flow', elsewhere)).status).toBe(404)
    expect((await app.reader.get('/repos/acme?name=acme%2Frefused')).body.repos).toEqual([])
  })

  it('without a trail makes no repository, and nothing can be attested to it', async () => {
    const repo_info = { id: '9', name: 'acme/none', url: 'https://git.example.com/none', provider: 'github' }
    expect((await app.member.post('/artifacts/acme/ci', build(print('2c'), { repo_info }))).status).toBe(201)
    expect((await app.reader.get('/repos/acme?name=acme%2Fnone')).body.repos).toEqual([])
    await app.member.put('/trails/acme/ci', { name: 'beside' })
    expect((await attest('2c', 'beside', true)).status).toBe(404)
  })
})

describe('a flow', () => {
  it('has the state of the trail that was created last', async () => {
    await makeFlow(app, 'states', TEMPLATE)
    const state = async () => (await app.reader.get('/flows/acme/states')).body.latest_state
    await app.member.put('/trails/acme/states', { name: 'first' })
    await app.member.post('/attestations/acme/states/trail/first/generic', {
      attestation_name: 'bad',
      is_compliant: false,
    })
    expect(await state()).toBe('NON-COMPLIANT')
    await app.member.put('/trails/acme/states', { name: 'second' })
    await app.member.put('/trails/acme/states', { name: 'first', description: 'again' })
    expect(await state()).toBe('INCOMPLETE')
  })

  it('that is public still needs a key to be read', async () => {
    await app.member.put('/flows/acme', { name: 'open', description: '', visibility: 'public' })
    expect((await app.anonymous.get('/flows/acme/open')).status).toBe(401)
    expect((await app.outsider.get('/flows/acme/open')).status).toBe(403)
  })
})

describe('a repository', () => {
  it('is another one when its provider is not named', async () => {
    const repo = { id: '77', name: 'acme/pair', url: 'https://git.example.com/pair' }
    for (const [name, repo_info] of [
      ['with', { ...repo, provider: 'github' }],
      ['without', repo],
      ['with-again', { ...repo, provider: 'github' }],
    ] as const) {
      expect((await app.member.put('/trails/acme/ci', { name, repo_info })).status).toBe(201)
    }
    const { repos } = (await app.reader.get('/repos/acme?name=acme%2Fpair')).body
    expect(repos).toHaveLength(2)
  })
})

describe('an override', () => {
  it('must name the custom type that it stands in for', async () => {
    await app.member.put('/trails/acme/ci', { name: 'overridden' })
    const override = (original_attestation_type: string) =>
      app.member.post('/attestations/acme/ci/trail/overridden/override', {
        attestation_name: 'scan',
        original_attestation_type,
        reason: 'known',
        new_compliance_status: true,
      })
    expect((await override('custom')).status).toBe(400)
    expect((await override('custom:coverage')).status).toBe(201)
  })
})

describe('a snapshot without policies', () => {
  it('is not compliant for clients that need a boolean, and unknown for the others', async () => {
    await makeEnvironment(app, 'no-policies')
    await report(app, 'no-policies', '4a')
    const { body } = await app.reader.get('/snapshots/acme/no-policies/-1')
    expect(body).toMatchObject({ compliant: false, state: null })
    expect(body.artifacts[0]).toMatchObject({ compliant: false, compliance_state: 'UNKNOWN' })
  })
})

describe('a decision on a control that does not exist', () => {
  it('is taken without a version, and listed once there is such a control', async () => {
    await app.member.put('/trails/acme/ci', { name: 'decided' })
    const decision = { attestation_name: 'go', type_name: 'decision', control: 'LATE-1' }
    const taken = await app.member.post('/attestations/acme/ci/trail/decided/system', {
      ...decision,
      attestation_data: { is_compliant: true },
    })
    expect(taken.status).toBe(201)
    const list = () => app.reader.get('/controls/acme/LATE-1/decisions')
    expect((await list()).status).toBe(404)
    await app.admin.post('/controls/acme', { identifier: 'LATE-1', name: 'Late' })
    expect((await list()).body.decisions).toMatchObject([{ attestation_name: 'go', control_version: null }])
  })
})

/** Ids that sort after everything that was made so far, in the order of i. */
const LATER_ID = "('ffffffff-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"

describe('a trail', () => {
  it('shows its newest thousand events, oldest first', async () => {
    await app.member.put('/trails/acme/ci', { name: 'long', description: 'first' })
    await app.sql(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, flow_id, trail_id, data)
       select e.org_id, ${LATER_ID}, 'trail_updated', e.happened_at + i * interval '1 second', 'max', 'r',
              e.flow_id, e.trail_id, '{}'
       from events e, generate_series(1, 1000) i
       where e.kind = 'trail_reported' and e.trail_id = (select trail_id from trails where name = 'long')`,
    )
    const { events } = (await app.reader.get('/trails/acme/ci/long')).body
    expect(events).toHaveLength(1000)
    const begun_at = app.clock.now().getTime() / 1000
    expect(events.map(({ timestamp }: { timestamp: number }) => timestamp - begun_at)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i + 1),
    )
  })
})

describe('a search for names', () => {
  it('finds a name by its first 24 words, and by none after them', async () => {
    const words = Array.from({ length: 25 }, (_, i) => `w${i + 1}x`)
    await app.member.put('/trails/acme/ci', { name: words.join('-') })
    const found = async (part: string) =>
      (await app.reader.get(`/trails/acme?search_by_name=${part}`)).body.pagination.total
    expect([await found('w1x'), await found('w24x'), await found('w25x')]).toEqual([1, 1, 0])
  })
})

describe('name_regex', () => {
  it('looks at 5,000 attestations for one page, and says where to go on', async () => {
    await artifact('3a', 'many')
    await app.member.post('/attestations/acme/ci/trail/many/generic', {
      attestation_name: 'needle',
      is_compliant: true,
    })
    await app.sql(
      `insert into attestations
       select (jsonb_populate_record(a, jsonb_build_object('attestation_id', ${LATER_ID},
               'attestation_name', 'haystack'))).*
       from attestations a, generate_series(1, 5000) i where a.attestation_name = 'needle'`,
    )
    const path = '/attestations/acme?name_regex=%5Eneedle'
    const { data, pagination } = (await app.reader.get(path)).body
    expect(data).toEqual([])
    const next = await app.reader.get(`${path}&after=${pagination.after}`)
    expect(next.body.data).toMatchObject([{ attestation_name: 'needle' }])
  })
})
