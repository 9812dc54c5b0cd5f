// Section 8 and the decided limits: names, fingerprints, JSON depth, and how much of the input an error repeats.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport, makeEnvironment } from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../reports.ts'

const INVALID = 'Input payload validation failed'
/** Invalid in every name. */
const NEVER = ['', ' ', 'a b', 'a^b', 'a]b', 'a[b', 'a\\b', 'a/b', 'a\n', '\na', 'ä', 'a%b', "a'b", 'a:b']

let app: TestApp
let made = 0
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await makeEnvironment(app, 'prod')
})
afterAll(() => app.stop())

const readErrors = async (asked: Promise<{ status: number; body: { errors?: object } }>) => {
  const { status, body } = await asked
  return [status, Object.keys(body.errors ?? {})]
}

const pairWith = (verdict: 'accepted' | 'refused', ...texts: string[]) =>
  texts.map(text => [text, verdict] as const)

describe('an environment name', () => {
  const put = (name: string) => app.member.put('/environments/acme', { name, type: 'K8S', description: '' })

  it.each([
    ...pairWith('accepted', 'a', '0', 'Z9', 'a-b', 'a.b', 'a_b', 'a.-_z', '9.'),
    ...pairWith('refused', ...NEVER, '.a', '-a', '_a', '~a', 'a~b', 'a,b'),
  ])('%j is %s', async (name, verdict) => {
    if (verdict === 'accepted') {
      expect((await put(name)).status).toBe(201)
      expect((await app.reader.get(`/environments/acme/${name}`)).body.name).toBe(name)
    } else {
      expect(await readErrors(put(name))).toEqual([400, ['name']])
      await put('kept')
      const renamed = app.member.put('/environments/acme/kept/rename', { new_name: name })
      expect(await readErrors(renamed)).toEqual([400, ['new_name']])
    }
  })
})

describe('a service account name', () => {
  const post = (name: string) => app.admin.post('/service-accounts/acme', { name })

  it.each([
    ...pairWith('accepted', 'a', 'Z', '0', '-', '-a-', 'a-B-9', 'A-9'.padEnd(64, 'z')),
    ...pairWith('refused', ...NEVER, 'a.b', 'a_b', 'a~b', 'a,b', 'x'.repeat(65)),
  ])('%j is %s', async (name, verdict) => {
    if (verdict === 'accepted') {
      expect((await post(name)).status).toBe(201)
      expect((await app.admin.get(`/service-accounts/acme/${name}`)).body.name).toBe(name)
    } else expect(await readErrors(post(name))).toEqual([400, ['name']])
  })
})

describe('a fingerprint', () => {
  const reportArtifact = (fingerprint: string) =>
    app.member.post('/artifacts/acme/ci', makeBuild(fingerprint, nameTrail('prints')))
  const attest = (artifact_fingerprint: string) =>
    app.member.post('/attestations/acme/ci/trail/prints/generic', {
      attestation_name: 'unit',
      is_compliant: true,
      artifact_fingerprint,
    })
  const allow = (artifact_fingerprint: string) =>
    app.member.put('/allowlists/acme/prod', {
      artifact_fingerprint,
      artifact_name: 'image',
      description: 'trusted',
    })
  const run = (digest: string) => {
    const [pod] = buildPodReport('a').artifacts
    const artifacts = [{ ...pod, digests: { image: digest } }]
    return app.snapshotter.put('/environments/acme/prod/report/K8S', { artifacts })
  }

  it.each([
    ...pairWith('accepted', '0123456789abcdef'.repeat(4), 'a'.repeat(64)),
    ...pairWith(
      'refused',
      'a'.repeat(63),
      'a'.repeat(65),
      'A'.repeat(64),
      'g'.repeat(64),
      `${'a'.repeat(64)}\n`,
      '',
    ),
  ])('%j is %s, wherever it is sent', async (print, verdict) => {
    if (verdict === 'accepted') {
      const statuses = [
        await reportArtifact(print),
        await attest(print),
        await allow(print),
        await run(print),
      ]
      expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201, 200])
      const { body } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${print}`)
      expect(body.fingerprint).toBe(print)
    } else {
      expect(await readErrors(reportArtifact(print))).toEqual([400, ['fingerprint']])
      expect(await readErrors(attest(print))).toEqual([400, ['artifact_fingerprint']])
      expect(await readErrors(allow(print))).toEqual([400, ['artifact_fingerprint']])
      // A running artifact may have no known digest.
      if (print !== '') expect(await readErrors(run(print))).toEqual([400, ['artifacts[0].digests.image']])
    }
  })
})

describe('a commit', () => {
  const buildCommitInfo = (sha1: string) => ({
    sha1,
    message: 'm',
    author: 'A',
    timestamp: 1,
    branch: 'main',
  })
  const reportArtifact = (more: object) =>
    app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint('c1'), { ...nameTrail('commits'), ...more }),
    )
  const begin = (sha: string) =>
    app.member.put('/trails/acme/ci', { name: `commits-${++made}`, git_commit_info: buildCommitInfo(sha) })

  it.each([
    ...pairWith('accepted', '0123456789abcdef01234567890123456789abcd', 'b'.repeat(40)),
    ...pairWith(
      'refused',
      'a'.repeat(39),
      'a'.repeat(41),
      'A'.repeat(40),
      'g'.repeat(40),
      `${'a'.repeat(40)}\n`,
      '',
    ),
  ])('%j is %s, wherever it is sent', async (sha, verdict) => {
    const listed = reportArtifact({ commits_list: [buildCommitInfo(sha)] })
    if (verdict === 'accepted') {
      const statuses = [await listed, await reportArtifact({ git_commit: sha }), await begin(sha)]
      expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201])
      const { body } = await app.reader.get(`/search/acme/commit/${sha}/trails`)
      expect(body.total_count).toBe(2)
    } else {
      expect(await readErrors(listed)).toEqual([400, ['commits_list[0].sha1']])
      expect(await readErrors(reportArtifact({ git_commit: sha }))).toEqual([400, ['git_commit']])
      expect(await readErrors(begin(sha))).toEqual([400, ['git_commit_info.sha1']])
    }
  })
})

describe('a pattern', () => {
  it('has single backslashes in an error, and matches accordingly', async () => {
    const quoted = async (asked: Promise<{ body: { errors: Record<string, string> } }>) =>
      Object.values((await asked).body.errors)[0]
    expect(await quoted(app.member.put('/environments/acme', { name: 'a~b', type: 'K8S' }))).toBe(
      String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$' [input: a~b]`,
    )
    expect(await quoted(app.member.put('/flows/acme', { name: 'a\\b', description: '' }))).toBe(
      String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: a\b]`,
    )
    expect(await quoted(app.admin.post('/service-accounts/acme', { name: 'a\\b' }))).toBe(
      String.raw`String should match pattern '^[a-zA-Z0-9\-]+$' [input: a\b]`,
    )
    for (const name of ['dot.dash-', 'dot.dash-~_']) {
      expect((await app.member.put('/flows/acme', { name, description: '' })).status).toBe(201)
    }
    const { body } = await app.anonymous.get('/openapi.json')
    const patterns: string[] = []
    JSON.stringify(body, (key, value) => {
      if (key === 'pattern' && typeof value === 'string') patterns.push(value)
      return value
    })
    expect(patterns).toContain(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`)
    const ofNames = patterns.filter(pattern => pattern.startsWith('^[a-zA-Z0-9'))
    expect(ofNames.filter(pattern => pattern.includes('\\\\'))).toEqual([])
  })
})

describe('JSON', () => {
  const nestArrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  /** The body itself is the first level. */
  const begin = (user_data: string) => {
    const name = `nested-${++made}`
    return {
      name,
      asked: app.member.call('PUT', '/trails/acme/ci', `{"name":"${name}","user_data":${user_data}}`),
    }
  }

  it.each([
    ['arrays', nestArrays(63)],
    ['objects', objects(63)],
    ['brackets in text', JSON.stringify(['[{'.repeat(1000)])],
    ['arrays side by side', `[${'[],'.repeat(1000)}[]]`],
  ])('of 64 levels is kept as it was sent: %s', async (_what, user_data) => {
    const { name, asked } = begin(user_data)
    expect((await asked).status).toBe(201)
    expect((await app.reader.get(`/trails/acme/ci/${name}`)).body.user_data).toEqual(JSON.parse(user_data))
  })

  it.each([
    ['arrays', nestArrays(64)],
    ['objects', objects(64)],
    ['arrays that never end', '['.repeat(64)],
    ['a million arrays', nestArrays(500_000)],
  ])('that nests deeper is refused: %s', async (_what, user_data) => {
    const { name, asked } = begin(user_data)
    const { status, body } = await asked
    expect([status, body]).toEqual([400, { message: INVALID, errors: { body: 'Nesting is deeper than 64' } }])
    expect((await app.reader.get(`/trails/acme/ci/${name}`)).status).toBe(404)
  })

  it('in a form may be nested as deep and no deeper', async () => {
    const form = (depth: number) =>
      app.member.form('PUT', '/trails/acme/ci', {
        data_json: `{"name":"form-${depth}","user_data":${nestArrays(depth)}}`,
      })
    expect((await form(63)).status).toBe(201)
    const { status, body } = await form(64)
    expect([status, body.errors]).toEqual([400, { data_json: 'Nesting is deeper than 64' }])
  })
})

describe('an error', () => {
  const readError = async (description: unknown) => {
    const { status, body } = await app.member.put('/environments/acme', {
      name: 'said',
      type: 'K8S',
      description,
    })
    expect([status, body.message]).toEqual([400, INVALID])
    return body.errors.description
  }
  const sentence = 'Input should be a valid string'

  it.each([
    ['null', null, 'None'],
    ['a boolean', false, 'false'],
    ['a number', 7, '7'],
    ['an object', { a: ['b'] }, '{"a":["b"]}'],
    ['100 characters', ['x'.repeat(96)], `["${'x'.repeat(96)}"]`],
    ['101 characters', ['x'.repeat(97)], `["${'x'.repeat(97)}"…`],
    ['thousands of characters', ['x'.repeat(5000)], `["${'x'.repeat(98)}…`],
  ])('is a sentence and the input, cut at 100 characters: %s', async (_what, input, shown) => {
    expect(await readError(input)).toBe(`${sentence} [input: ${shown}]`)
  })

  it('contains None when nothing was sent, and truncates input from a URL', async () => {
    const { body } = await app.member.put('/environments/acme', { type: 'K8S' })
    expect(body.errors).toEqual({ name: 'Field required [input: None]' })
    const asked = await app.reader.get(`/environments/acme?per_page=${'x'.repeat(120)}`)
    expect(Object.values(asked.body.errors)).toEqual([expect.stringMatching(/^.* \[input: x{100}…\]$/)])
  })

  it('omits secret input', async () => {
    const secret = 'hunter2-is-no-secret'
    const targets = [
      { type: 'WEBHOOK', webhook: 'https://hooks.example.com/x', secret },
      { type: 'CHAT', webhook: `http://chat.example.com/${secret}` },
    ]
    const answers = [
      await app.admin.put('/notification-config/acme/api_key_expiry', { targets }),
      await app.admin.put('/organizations/acme/environments_notifications', {
        name: 'secret',
        environments: ['prod'],
        triggers: ['ON_COMPLIANT_ENV'],
        targets,
      }),
    ]
    for (const { status, body, text } of answers) {
      expect([status, body.message]).toEqual([400, INVALID])
      expect(Object.keys(body.errors)).toEqual(['targets[0].secret', 'targets[1].webhook'])
      expect(text).not.toContain('[input:')
      expect(text).not.toContain(secret)
    }
  })
})
