// A monorepo trail through the API: three artifacts, evidence that arrives early, late and repeatedly, one override.
// At any time the stored states match those that the domain rules compute from the stored evidence.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../src/admin/check.ts'
import { type Client, makeFile, startTestApp, type TestApp } from './harness.ts'
import { recordWaits } from './statement-log.ts'

const SHA = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'
const OTHER_SHA = '0000000000000000000000000000000000000001'
const makeFingerprint = (digit: string) => digit.repeat(64)

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: api
      attestations:
        - name: tests
          type: junit
        - name: scan
          type: '*'
    - name: web
      attestations:
        - name: tests
          type: junit
    - name: docs
`

let app: TestApp
let member: Client
beforeAll(async () => {
  app = await startTestApp()
  member = app.member
  await member.form('PUT', '/flows/acme/template_file', {
    data_json: JSON.stringify({ name: 'mono', description: '' }),
    template_file: makeFile(TEMPLATE),
  })
})
afterAll(() => app.stop())

const reportArtifact = (
  trail_name: string,
  template_reference_name: string,
  fingerprint: string,
  git_commit = SHA,
  more: Record<string, unknown> = {},
) =>
  member.post('/artifacts/acme/mono', {
    fingerprint,
    filename: `${template_reference_name}:1`,
    git_commit,
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    trail_name,
    template_reference_name,
    ...more,
  })

const attest = (trail: string, kind: string, body: Record<string, unknown>) =>
  member.post(`/attestations/acme/mono/trail/${trail}/${kind}`, body)

const makeSuites = (failures: number) => [
  { name: 's', failures, errors: 0, skipped: 0, total: 3, duration: 1 },
]
const commit = { git_commit_info: { sha1: SHA, branch: 'main' } }

async function readStatus(trail: string) {
  const { body } = await app.reader.get(`/trails/acme/mono/${trail}`)
  return body.compliance_status
}

async function expectConsistent(): Promise<void> {
  const checks = await checkIntegrity(app.owner)
  expect(checks.filter(check => !check.ok)).toEqual([])
}

describe('a monorepo trail', () => {
  it('is complete once all evidence has arrived, in any order', async () => {
    await member.put('/trails/acme/mono', { name: 'story' })
    // Early evidence, for an artifact that is not built yet.
    const early = {
      attestation_name: 'tests',
      target_artifacts: ['api'],
      ...commit,
      junit_results: makeSuites(0),
    }
    expect((await attest('story', 'junit', early)).status).toBe(201)
    expect((await readStatus('story')).waiting).toMatchObject([
      { attestation_name: 'tests', waiting_for: `waiting for artifact api at commit ${SHA}` },
    ])
    expect((await reportArtifact('story', 'api', makeFingerprint('a'))).status).toBe(201)
    expect((await readStatus('story')).waiting).toEqual([])
    expect((await readStatus('story')).artifacts_statuses.api.attestations_statuses).toMatchObject([
      { attestation_name: 'tests', status: 'COMPLETE', is_compliant: true },
      { attestation_name: 'scan', status: 'MISSING' },
    ])
    await reportArtifact('story', 'web', makeFingerprint('b'))
    await reportArtifact('story', 'docs', '0'.repeat(64))
    await attest('story', 'junit', {
      attestation_name: 'tests',
      artifact_fingerprint: makeFingerprint('b'),
      junit_results: makeSuites(2),
    })
    await attest('story', 'pull_request', {
      attestation_name: 'review',
      git_provider: 'github',
      pull_requests: [
        { url: 'https://git.example.com/pr/1', state: 'MERGED', author: 'x', commits: [], approvers: [] },
      ],
    })
    await attest('story', 'generic', {
      attestation_name: 'scan',
      artifact_fingerprint: makeFingerprint('a'),
      is_compliant: true,
    })
    expect(await readStatus('story')).toMatchObject({
      status: 'NON-COMPLIANT',
      artifacts_statuses: { api: { status: 'COMPLIANT' }, web: { status: 'NON-COMPLIANT' } },
    })
    // The override replaces the verdict, and the original stays recorded.
    const override = await attest('story', 'override', {
      attestation_name: 'tests',
      artifact_fingerprint: makeFingerprint('b'),
      reason: 'flaky on the build machine',
      new_compliance_status: true,
      original_attestation_type: 'junit',
    })
    expect(override.status).toBe(200)
    const { status, artifacts_statuses } = await readStatus('story')
    expect(status).toBe('COMPLIANT')
    expect(artifacts_statuses.web.attestations_statuses[0].overridden_attestation_id).toMatch(
      /^[0-9a-f-]{32}$/,
    )
    await expectConsistent()
  })

  it('evaluates a build that supersedes others of its name, and matches early evidence only to builds of its commit', async () => {
    await reportArtifact('rebuilt', 'api', makeFingerprint('c'))
    await attest('rebuilt', 'generic', {
      attestation_name: 'scan',
      artifact_fingerprint: makeFingerprint('c'),
      is_compliant: false,
    })
    expect((await readStatus('rebuilt')).status).toBe('NON-COMPLIANT')
    await attest('rebuilt', 'junit', {
      attestation_name: 'tests',
      target_artifacts: ['api'],
      ...commit,
      junit_results: makeSuites(0),
    })
    await reportArtifact('rebuilt', 'api', makeFingerprint('d'), OTHER_SHA, { supersedes_earlier: true })
    const rebuilt = await readStatus('rebuilt')
    expect(rebuilt.artifacts_statuses.api).toMatchObject({
      artifact_fingerprint: makeFingerprint('d'),
      status: 'INCOMPLETE',
    })
    expect(rebuilt.status).toBe('INCOMPLETE')
    await expectConsistent()
  })

  it('costs two waits, however much evidence it has', async () => {
    const body = { attestation_name: 'scan', artifact_fingerprint: makeFingerprint('a'), is_compliant: true }
    await attest('story', 'generic', body)
    expect(await recordWaits(app, () => attest('story', 'generic', body))).toHaveLength(2)
  })
})

describe('racing reports', () => {
  it('of many attestations on one trail produce the state of all of them together', async () => {
    await reportArtifact('raced', 'api', makeFingerprint('e'))
    await reportArtifact('raced', 'web', makeFingerprint('f'))
    await reportArtifact('raced', 'docs', '0'.repeat(64))
    const reports = [
      () =>
        attest('raced', 'generic', {
          attestation_name: 'scan',
          artifact_fingerprint: makeFingerprint('e'),
          is_compliant: true,
        }),
      () =>
        attest('raced', 'junit', {
          attestation_name: 'tests',
          artifact_fingerprint: makeFingerprint('e'),
          junit_results: makeSuites(0),
        }),
      () =>
        attest('raced', 'junit', {
          attestation_name: 'tests',
          artifact_fingerprint: makeFingerprint('f'),
          junit_results: makeSuites(0),
        }),
      () =>
        attest('raced', 'pull_request', {
          attestation_name: 'review',
          git_provider: 'github',
          pull_requests: [{ url: 'https://x.example', state: 'OPEN', author: 'x', commits: [] }],
        }),
    ]
    const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => reports[i % 4]?.()))
    expect(answers.every(answer => answer?.status === 201)).toBe(true)
    expect((await readStatus('raced')).status).toBe('COMPLIANT')
    await expectConsistent()
  })

  it('of one artifact create one artifact', async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => reportArtifact('same', 'api', makeFingerprint('9'))),
    )
    expect(answers.every(answer => answer.status === 201)).toBe(true)
    expect(
      await app.sql('select count(*)::int as kept from artifacts where fingerprint = $1', [
        makeFingerprint('9'),
      ]),
    ).toEqual([{ kept: 1 }])
    await expectConsistent()
  })
})

it('reaches the same state for any order of arrival', async () => {
  const steps = [
    (trail: string) => reportArtifact(trail, 'api', makeFingerprint('1')),
    (trail: string) => reportArtifact(trail, 'web', makeFingerprint('2')),
    (trail: string) =>
      attest(trail, 'junit', {
        attestation_name: 'tests',
        target_artifacts: ['api'],
        ...commit,
        junit_results: makeSuites(0),
      }),
    (trail: string) =>
      attest(trail, 'junit', {
        attestation_name: 'tests',
        target_artifacts: ['web'],
        ...commit,
        junit_results: makeSuites(1),
      }),
    (trail: string) =>
      attest(trail, 'generic', {
        attestation_name: 'scan',
        target_artifacts: ['api'],
        ...commit,
        is_compliant: true,
      }),
    (trail: string) => attest(trail, 'generic', { attestation_name: 'review', is_compliant: true }),
  ]
  let trails = 0
  const outcomes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(steps, { minLength: steps.length }), async order => {
      const trail = `order-${trails++}`
      await member.put('/trails/acme/mono', { name: trail })
      for (const report of order) expect((await report(trail)).status).toBe(201)
      const { status, artifacts_statuses } = await readStatus(trail)
      outcomes.add(JSON.stringify([status, artifacts_statuses.api.status, artifacts_statuses.web.status]))
    }),
    { numRuns: 25 },
  )
  expect([...outcomes]).toEqual([JSON.stringify(['NON-COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT'])])
  await expectConsistent()
})

/** A report for one slot: mostly as required, so that often only one thing is wrong. */
const anyReport = fc.oneof(
  { weight: 15, arbitrary: fc.constant('right') },
  { weight: 2, arbitrary: fc.constant('nothing') },
  { weight: 2, arbitrary: fc.constant('not compliant') },
  { weight: 1, arbitrary: fc.constant('of another type') },
  { weight: 1, arbitrary: fc.constant('of another type and not compliant') },
)
const anyArtifact = fc.record({ is_built: fc.nat(4).map(n => n > 0), tests: anyReport, scan: anyReport })
const anyEvidence = fc.record({
  review: anyReport,
  api: anyArtifact,
  web: anyArtifact,
  docs: anyArtifact,
  /** Evidence that is not required, on the trail or on an artifact. */
  unexpected: fc.option(fc.record({ on: fc.constantFrom(null, 'api', 'web'), is_compliant: fc.boolean() })),
})

describe('for any evidence', () => {
  const BUILT = ['api', 'web', 'docs'] as const
  const pull_request = { url: 'https://x.example', state: 'OPEN', author: 'x', commits: [] }
  /** By name: the kind that the template requires, and its compliant or non-compliant content. */
  const TYPED: Record<string, [kind: string, (is_good: boolean) => object]> = {
    review: ['pull_request', good => ({ git_provider: 'github', pull_requests: good ? [pull_request] : [] })],
    tests: ['junit', good => ({ junit_results: makeSuites(good ? 0 : 1) })],
  }

  async function report(trail: string, on: string | null, attestation_name: string, what: string) {
    if (what === 'nothing') return
    const is_good = !what.includes('not compliant')
    const typed = what.startsWith('of another type') ? undefined : TYPED[attestation_name]
    const [kind, content] = typed ?? ['generic', (is_compliant: boolean) => ({ is_compliant })]
    const target = on === null ? {} : { target_artifacts: [on], ...commit }
    const { status } = await attest(trail, kind, { attestation_name, ...target, ...content(is_good) })
    expect(status).toBe(201)
  }

  it('the stored states of trails and artifacts are those that the rules compute', async () => {
    let trails = 0
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(anyEvidence, async evidence => {
        const trail = `any-${trails++}`
        await member.put('/trails/acme/mono', { name: trail })
        await report(trail, null, 'review', evidence.review)
        for (const name of BUILT) {
          if (evidence[name].is_built)
            await reportArtifact(trail, name, makeFingerprint(String(BUILT.indexOf(name))))
          if (name !== 'docs') await report(trail, name, 'tests', evidence[name].tests)
          if (name === 'api') await report(trail, name, 'scan', evidence[name].scan)
        }
        const { unexpected } = evidence
        const odd = unexpected?.is_compliant ? 'fine' : 'not compliant'
        if (unexpected) await report(trail, unexpected.on, 'other', odd)
        const { body } = await app.reader.get(`/trails/acme/mono/${trail}`)
        expect(body.compliance_state).toBe(body.compliance_status.status)
        seen.add(body.compliance_state)
        for (const name of BUILT.filter(built => evidence[built].is_built)) {
          const fingerprint = makeFingerprint(String(BUILT.indexOf(name)))
          const path = `/artifacts/acme/mono/fingerprint/${fingerprint}?trail=${trail}`
          const { state } = (await app.reader.get(path)).body
          expect([name, state]).toEqual([name, body.compliance_status.artifacts_statuses[name].status])
        }
      }),
      { numRuns: 80, seed: 20_260_303 },
    )
    expect([...seen].sort()).toEqual(['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT'])
    await expectConsistent()
  })
})

describe('one fingerprint', () => {
  it('on two racing trails is an artifact on each, and each trail is evaluated by its own evidence', async () => {
    const both = ['left', 'right']
    const reports = Array.from({ length: 16 }, (_, i) =>
      reportArtifact(both[i % 2] ?? '', 'web', makeFingerprint('7')),
    )
    const answers = await Promise.all(reports)
    expect(answers.every(answer => answer.status === 201)).toBe(true)
    await attest('left', 'junit', {
      attestation_name: 'tests',
      artifact_fingerprint: makeFingerprint('7'),
      junit_results: makeSuites(1),
    })
    expect((await readStatus('left')).artifacts_statuses.web.status).toBe('NON-COMPLIANT')
    expect((await readStatus('right')).artifacts_statuses.web.status).toBe('INCOMPLETE')
    await expectConsistent()
  })

  it('under two names on one trail has the same evidence under both, whenever the second name arrives', async () => {
    const bad = (name: string) => ({
      attestation_name: name,
      artifact_fingerprint: makeFingerprint('8'),
      is_compliant: false,
    })
    await reportArtifact('twins', 'api', makeFingerprint('8'))
    await attest('twins', 'generic', bad('before'))
    await reportArtifact('twins', 'web', makeFingerprint('8'))
    await attest('twins', 'generic', bad('after'))
    const { artifacts_statuses } = await readStatus('twins')
    for (const name of ['api', 'web']) {
      const unexpected = artifacts_statuses[name].attestations_statuses.filter(
        (row: { unexpected: boolean }) => row.unexpected,
      )
      expect(unexpected.map((row: { attestation_name: string }) => row.attestation_name).sort()).toEqual([
        'after',
        'before',
      ])
    }
    await expectConsistent()
  })
})
