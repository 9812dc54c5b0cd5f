import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  OTHER_SHA,
  readStoredRows,
  SHA,
  WIRE_ID,
} from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'
import { checkIntegrity } from '../../admin/check.ts'

const TEMPLATE = `version: 1
trail:
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: junit
`
const COMMIT = { sha1: SHA, message: 'Fix it', author: 'Ann', branch: 'main', timestamp: 1_772_539_200.5 }
const FULL = {
  description: 'everything',
  git_commit_info: COMMIT,
  repo_info: { id: '42', name: 'acme/backend', url: 'https://git.example/acme/backend' },
  repo_url: 'https://git.example/acme/backend',
  external_urls: { log: { href: 'https://ci.example/log', fingerprint: makeFingerprint('f') } },
  annotations: { build_number: '42' },
  user_data: { z: 1, a: [1, 'two', null] },
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
})
afterAll(() => app.stop())

const report = (body: unknown, flow = 'ci') => app.member.post(`/artifacts/acme/${flow}`, body)
const readTrail = async (name: string) => (await app.reader.get(`/trails/acme/ci/${name}`)).body
const readArtifact = async (fingerprint: string, query = '') =>
  (await app.reader.get(`/artifacts/acme/ci/fingerprint/${fingerprint}${query}`)).body
const attest = (trail: string, kind: string, body: unknown) =>
  app.member.post(`/attestations/acme/ci/trail/${trail}/${kind}`, body)
const listEventsAbout = async (kind: string, fingerprint: string) =>
  (await app.readEvents(kind)).filter(({ data }) => data.artifact_fingerprint === fingerprint)
const makeEarly = (sha1: string, failures = 0) => ({
  attestation_name: 'tests',
  target_artifacts: ['image'],
  git_commit_info: { sha1 },
  junit_results: makeSuites(failures),
})

async function expectIntegrity(): Promise<void> {
  expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
}

describe('201 on a trail', () => {
  it('returns OK and stores everything that was sent', async () => {
    const { status, text } = await report(makeBuild(makeFingerprint('a1'), { ...nameTrail('full'), ...FULL }))
    expect(status).toBe(201)
    expect(text).toBe('"OK"')
    expect(await readArtifact(makeFingerprint('a1'))).toMatchObject({
      ...makeBuild(makeFingerprint('a1')),
      ...nameTrail('full'),
      ...FULL,
    })
  })

  it('returns user data with its keys in the order sent', async () => {
    await report(
      makeBuild(makeFingerprint('a2'), {
        ...nameTrail('order'),
        user_data: { zebra: 1, a: { c: 2, bb: 3, a: 4 } },
      }),
    )
    const { text } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${makeFingerprint('a2')}`)
    expect(text).toContain('"user_data":{"zebra":1,"a":{"c":2,"bb":3,"a":4}}')
  })

  it('records what was reported, and begins the trail with the template of the flow', async () => {
    await report(makeBuild(makeFingerprint('a3'), { ...nameTrail('begun'), git_commit_info: COMMIT }))
    const trail = await readTrail('begun')
    expect(trail).toMatchObject({
      created_by: 'max',
      git_commit_info: COMMIT,
      template: { content: TEMPLATE },
      compliance_status: {
        status: 'INCOMPLETE',
        artifacts_statuses: { image: { artifact_fingerprint: makeFingerprint('a3'), unexpected: false } },
      },
    })
    const { id: artifact_id } = await readArtifact(makeFingerprint('a3'))
    expect(artifact_id).toMatch(WIRE_ID)
    const eventData = {
      artifact_fingerprint: makeFingerprint('a3'),
      artifact_name: 'image:1',
      artifact_id,
      template_reference_name: 'image',
      git_commit: SHA,
      git_commit_info: COMMIT,
      report_id: expect.any(String),
    }
    expect(await listEventsAbout('artifact_creation_reported', makeFingerprint('a3'))).toEqual([
      { kind: 'artifact_creation_reported', actor: 'max', data: eventData },
    ])
    expect(trail.events).toMatchObject([
      { type: 'trail_reported', user: 'max', git_commit_info: COMMIT, trail_data_json: { name: 'begun' } },
      { type: 'artifact_creation_reported', user: 'max', ...eventData },
    ])
    expect(trail.events[0].template_id).toBe(trail.compliance_status.flow_template_id)
    await expectIntegrity()
  })

  it('does not change an existing trail', async () => {
    await app.member.put('/trails/acme/ci', { name: 'there', description: 'mine' })
    await report(makeBuild(makeFingerprint('a4'), { ...nameTrail('there'), git_commit_info: COMMIT }))
    const { description, git_commit_info, events } = await readTrail('there')
    expect({ description, git_commit_info }).toEqual({ description: 'mine', git_commit_info: null })
    expect(events).toMatchObject([{ type: 'trail_reported' }, { type: 'artifact_creation_reported' }])
  })

  it('accepts a name that the template does not have, and marks it unexpected', async () => {
    await report(makeBuild(makeFingerprint('a5'), nameTrail('surprise', 'extra')))
    const { artifacts_statuses, status } = (await readTrail('surprise')).compliance_status
    expect(artifacts_statuses.extra).toMatchObject({ unexpected: true, status: 'COMPLIANT' })
    expect(artifacts_statuses.image).toMatchObject({ unexpected: false, status: 'MISSING' })
    expect(status).toBe('INCOMPLETE')
  })

  it('keeps one artifact when it is reported again, with the newest content', async () => {
    await report(makeBuild(makeFingerprint('a6'), nameTrail('again')))
    const first = await readArtifact(makeFingerprint('a6'))
    app.clock.advance(1000)
    expect(
      (await report(makeBuild(makeFingerprint('a6'), { ...nameTrail('again'), filename: 'image:2' }))).status,
    ).toBe(201)
    const second = await readArtifact(makeFingerprint('a6'))
    expect(second).toMatchObject({ id: first.id, filename: 'image:2', created_at: first.created_at })
    expect(await listEventsAbout('artifact_creation_reported', makeFingerprint('a6'))).toHaveLength(2)
  })

  it('is a separate artifact on another trail', async () => {
    await report(makeBuild(makeFingerprint('a7'), nameTrail('one')))
    expect((await report(makeBuild(makeFingerprint('a7'), nameTrail('two')))).status).toBe(201)
    const [one, two] = [
      await readArtifact(makeFingerprint('a7'), '?trail=one'),
      await readArtifact(makeFingerprint('a7'), '?trail=two'),
    ]
    expect([one.trail_name, two.trail_name]).toEqual(['one', 'two'])
    expect(one.id).not.toBe(two.id)
  })

  it('keeps every build of a name when several arrive together, except those that the last one supersedes', async () => {
    const listCurrentBuilds = async (trail: string) =>
      (
        await app.sql(
          `select a.fingerprint from artifacts a join trails t using (org_id, trail_id)
           where t.name = $1 and a.is_current order by a.report_id`,
          [trail],
        )
      ).map(({ fingerprint }) => fingerprint)
    const starts = ['b1', 'b2', 'b3']
    await Promise.all(starts.map(start => report(makeBuild(makeFingerprint(start), nameTrail('together')))))
    expect((await listCurrentBuilds('together')).toSorted()).toEqual(starts.map(makeFingerprint))
    await Promise.all(
      starts.map(start =>
        report(
          makeBuild(makeFingerprint(start), { ...nameTrail('last'), supersedes_earlier: start === 'b3' }),
        ),
      ),
    )
    expect(await listCurrentBuilds('last')).toEqual([makeFingerprint('b3')])
    await expectIntegrity()
  })

  it('takes the commit from git_commit_info', async () => {
    await report(
      makeBuild(makeFingerprint('a8'), {
        ...nameTrail('commit'),
        git_commit: undefined,
        git_commit_info: COMMIT,
      }),
    )
    expect(await readArtifact(makeFingerprint('a8'))).toMatchObject({ git_commit: SHA })
  })

  it('accepts an empty repo_url, as clients send it', async () => {
    expect(
      (await report(makeBuild(makeFingerprint('a9'), { ...nameTrail('no-repo'), repo_url: '' }))).status,
    ).toBe(201)
    expect(await readArtifact(makeFingerprint('a9'))).toMatchObject({ repo_url: '' })
  })

  it('costs two waits once the caller is known', async () => {
    await report(makeBuild(makeFingerprint('aa'), nameTrail('warm')))
    expect(
      await recordWaits(app, () => report(makeBuild(makeFingerprint('aa'), nameTrail('counted')))),
    ).toHaveLength(2)
  })
})

describe('201 with earlier attestations', () => {
  const readSlot = async (trail: string) =>
    (await readTrail(trail)).compliance_status.artifacts_statuses.image.attestations_statuses[0]

  it('binds attestations of the same commit', async () => {
    await app.member.put('/trails/acme/ci', { name: 'bound' })
    await attest('bound', 'junit', makeEarly(SHA))
    await report(makeBuild(makeFingerprint('c1'), nameTrail('bound')))
    expect(await readSlot('bound')).toMatchObject({ status: 'COMPLETE', is_compliant: true })
    expect(await readArtifact(makeFingerprint('c1'))).toMatchObject({ state: 'COMPLIANT' })
  })

  it('leaves attestations of another commit waiting', async () => {
    await app.member.put('/trails/acme/ci', { name: 'floating' })
    await attest('floating', 'junit', makeEarly(OTHER_SHA))
    await report(makeBuild(makeFingerprint('c2'), nameTrail('floating')))
    expect(await readSlot('floating')).toMatchObject({ status: 'MISSING', is_compliant: null })
    expect((await readTrail('floating')).compliance_status.waiting).toMatchObject([
      { attestation_name: 'tests', waiting_for: `waiting for artifact image at commit ${OTHER_SHA}` },
    ])
    expect(await readArtifact(makeFingerprint('c2'))).toMatchObject({ state: 'INCOMPLETE' })
  })

  it('binds the latest attestation of a name', async () => {
    await app.member.put('/trails/acme/ci', { name: 'latest' })
    await attest('latest', 'junit', makeEarly(SHA, 2))
    await attest('latest', 'junit', makeEarly(SHA, 0))
    await report(makeBuild(makeFingerprint('c3'), nameTrail('latest')))
    expect(await readSlot('latest')).toMatchObject({ is_compliant: true })
  })

  it('binds them to every rebuild of the commit', async () => {
    await app.member.put('/trails/acme/ci', { name: 'rebuilds' })
    await attest('rebuilds', 'junit', makeEarly(SHA))
    await report(makeBuild(makeFingerprint('c4'), nameTrail('rebuilds')))
    await report(makeBuild(makeFingerprint('c5'), nameTrail('rebuilds')))
    expect(await readSlot('rebuilds')).toMatchObject({ status: 'COMPLETE' })
    const states = [await readArtifact(makeFingerprint('c4')), await readArtifact(makeFingerprint('c5'))].map(
      ({ state }) => state,
    )
    expect(states).toEqual(['COMPLIANT', 'COMPLIANT'])
    await expectIntegrity()
  })
})

describe('201 without a trail (the older way)', () => {
  it('stores the artifact on the flow', async () => {
    const commits_list = [{ ...COMMIT, parents: [OTHER_SHA] }]
    const { status, body } = await report(makeBuild(makeFingerprint('d1'), { commits_list, repo_url: '' }))
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect(await readArtifact(makeFingerprint('d1'))).toMatchObject({
      trail_name: null,
      template_reference_name: null,
      git_commit: SHA,
      state: 'INCOMPLETE',
    })
    expect(await listEventsAbout('artifact_creation_reported', makeFingerprint('d1'))).toMatchObject([
      {
        actor: 'max',
        data: { artifact_name: 'image:1', git_commit: SHA, artifact_id: expect.stringMatching(WIRE_ID) },
      },
    ])
  })

  it('is the same artifact when it is reported again', async () => {
    await report(makeBuild(makeFingerprint('d2')))
    const { id } = await readArtifact(makeFingerprint('d2'))
    expect(
      (await report(makeBuild(makeFingerprint('d2'), { filename: 'image:2', commits_list: [] }))).status,
    ).toBe(201)
    expect(await readArtifact(makeFingerprint('d2'))).toMatchObject({ id, filename: 'image:2' })
  })

  it('costs three waits once the caller is known', async () => {
    await report(makeBuild(makeFingerprint('f3')))
    expect(await recordWaits(app, () => report(makeBuild(makeFingerprint('f3'))))).toHaveLength(3)
  })
})

const SCRIPT = 'javascript:alert(1)'
const NO_URL = `Input should be a valid URL with the scheme http or https [input: ${SCRIPT}]`
const NO_REPOSITORY = `Input should be the address of a repository, such as https://, ssh:// or git@host:path [input: ${SCRIPT}]`
const EITHER_WAY: [string, Record<string, unknown>, string][] = [
  ['fingerprint', { fingerprint: 'abc' }, "String should match pattern '^[a-f0-9]{64}$' [input: abc]"],
  ['git_commit', { git_commit: 'abc' }, "String should match pattern '^[a-f0-9]{40}$' [input: abc]"],
  ['filename', { filename: '' }, 'String should have at least 1 character [input: ]'],
  ['filename', { filename: undefined }, 'Field required [input: None]'],
  ['build_url', { build_url: SCRIPT }, NO_URL],
  ['commit_url', { commit_url: SCRIPT }, NO_URL],
  ['repo_url', { repo_url: SCRIPT }, NO_REPOSITORY],
  ['git_commit_info.url', { git_commit_info: { sha1: SHA, url: SCRIPT } }, NO_REPOSITORY],
  [
    'repo_info.url',
    { repo_info: { id: '1', name: 'a', url: 'Java\tScript:alert(1)' } },
    'Input should be the address of a repository, such as https://, ssh:// or git@host:path [input: Java\tScript:alert(1)]',
  ],
  ['external_urls.log.href', { external_urls: { log: { href: SCRIPT } } }, NO_URL],
  [
    'external_urls.log.fingerprint',
    { external_urls: { log: { href: 'https://x.example', fingerprint: 'abc' } } },
    "String should match pattern '^[a-f0-9]{64}$' [input: abc]",
  ],
  [
    'git_commit_info.sha1',
    { git_commit_info: { sha1: 'x' } },
    "String should match pattern '^[a-f0-9]{40}$' [input: x]",
  ],
  ['annotations', { annotations: [] }, 'Input should be a valid dictionary [input: []]'],
  ['surprise', { surprise: 1 }, 'Extra inputs are not permitted [input: 1]'],
]

describe('400', () => {
  const expectRefused = async (body: unknown, field: string, sentence: string) => {
    const before = await readStoredRows(app)
    const { status, body: answer } = await report(body)
    expect(answer).toEqual({ message: 'Input payload validation failed', errors: { [field]: sentence } })
    expect(status).toBe(400)
    expect(await readStoredRows(app)).toEqual(before)
  }

  it.each(EITHER_WAY)('on a trail: names %s, given %j', (field, change, sentence) =>
    expectRefused(makeBuild(makeFingerprint('e1'), { ...nameTrail('refused'), ...change }), field, sentence),
  )

  it.each(EITHER_WAY)('without a trail: names %s, given %j', (field, change, sentence) =>
    expectRefused(makeBuild(makeFingerprint('e1'), change), field, sentence),
  )

  it.each([
    ['trail_name', { trail_name: undefined }, 'Field required [input: None]'],
    ['template_reference_name', { template_reference_name: undefined }, 'Field required [input: None]'],
    [
      'template_reference_name',
      { template_reference_name: 'a.b' },
      "String should match pattern '^[a-zA-Z0-9\\-_]+$' [input: a.b]",
    ],
    [
      'trail_name',
      { trail_name: '-a' },
      "String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$' [input: -a]",
    ],
  ])('names %s, given %j', (field, change, sentence) =>
    expectRefused(makeBuild(makeFingerprint('e1'), { ...nameTrail('refused'), ...change }), field, sentence),
  )
})

describe('403', () => {
  it.each(['reader', 'snapshotter', 'outsider'] as const)('refuses the %s and stores nothing', async who => {
    const before = await readStoredRows(app)
    expect(
      (await app[who].post('/artifacts/acme/ci', makeBuild(makeFingerprint('e2'), nameTrail('refused'))))
        .status,
    ).toBe(403)
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('404', () => {
  it.each([
    ['on a trail', nameTrail('refused')],
    ['without a trail', {}],
  ])('names the flow, %s', async (_, way) => {
    const before = await readStoredRows(app)
    const { status, body } = await report(makeBuild(makeFingerprint('e3'), way), 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('422', () => {
  it('refuses the idempotency key of another request, and begins no trail for it', async () => {
    const reportWithKey = (trail: string) =>
      app.member.call('POST', '/artifacts/acme/ci', makeBuild(makeFingerprint('e4'), nameTrail(trail)), {
        'idempotency-key': 'k',
      })
    expect((await reportWithKey('first')).status).toBe(201)
    const before = await readStoredRows(app)
    expect((await reportWithKey('first')).status).toBe(201)
    expect((await reportWithKey('second')).status).toBe(422)
    expect(await readStoredRows(app)).toEqual(before)
  })
})
