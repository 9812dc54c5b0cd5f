// Requests exactly as the Go client sends them: attestations as forms with the part data_json, overrides and reports
// as JSON, each with every key that it always writes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../controls.ts'
import { makeEnvironment } from '../environments.ts'
import { makeFile, startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, makeSuites, nameTrail, OTHER_SHA, SHA } from '../reports.ts'

/** The client redacts the commit fields that it cannot know. */
const REDACTED = { message: '**REDACTED**', author: '**REDACTED**', branch: '**REDACTED**' }
const COMMON = { attestation_name: 'bar', user_data: {} }
const PULLS = { ...COMMON, git_provider: 'github' }
const buildPullRequest = (keys: object) => ({
  ...PULLS,
  pull_requests: [{ merge_commit: '', url: 'https://x.example/1', state: 'OPEN', ...keys }],
})
const OVERRIDE = { ...COMMON, reason: 'r', new_compliance_status: true }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await addControl(app, 'RCTL-1')
  await app.member.put('/trails/acme/ci', { name: 'trail' })
  for (const name of ['my.type~1', 'coverage.v1']) {
    expect((await app.member.post('/custom-attestation-types/acme', { name })).status).toBe(201)
  }
})
afterAll(() => app.stop())

const attest = (kind: string, data: object, more: Record<string, Blob> = {}) =>
  app.member.form('POST', `/attestations/acme/ci/trail/trail/${kind}`, {
    data_json: JSON.stringify(data),
    ...more,
  })

describe('an attestation', () => {
  it.each<[string, string, object]>([
    ['a plain generic', 'generic', { ...COMMON, is_compliant: false }],
    [
      'a generic for an artifact to come',
      'generic',
      {
        ...COMMON,
        is_compliant: true,
        target_artifacts: ['cli'],
        git_commit_info: { sha1: SHA, timestamp: 1_452_902_400, ...REDACTED },
      },
    ],
    ['user data that is null', 'generic', { ...COMMON, is_compliant: true, user_data: null }],
    ['junit without a timestamp', 'junit', { ...COMMON, junit_results: makeSuites(1) }],
    ['junit without a suite', 'junit', { ...COMMON, junit_results: [] }],
    [
      'snyk with findings',
      'snyk',
      {
        ...COMMON,
        snyk_results: {
          schema_version: 1,
          tool: { name: 'Snyk Container', version: '' },
          results: [
            {
              high_count: 1,
              medium_count: 0,
              low_count: 0,
              high: [
                {
                  id: 'S-1',
                  message: 'bad',
                  locations: [{ uri: 'a.js', lines: '1-2' }],
                  priority_score: '500',
                },
              ],
            },
          ],
        },
      },
    ],
    ['jira without a reference', 'jira', { ...COMMON, jira_results: [] }],
    [
      'jira with an issue that is not there',
      'jira',
      { ...COMMON, jira_results: [{ issue_id: 'A-1', issue_url: 'https://j/A-1', issue_exists: false }] },
    ],
    [
      'sonar without a quality gate',
      'sonar',
      { ...COMMON, sonar_results: { serverUrl: 'https://s', taskId: '', project: { key: 'k', url: '' } } },
    ],
    [
      'a pull request as hosts with a graph API give it',
      'pull_request',
      buildPullRequest({
        approvers: [{ username: 'tom', state: 'APPROVED', timestamp: 1_700_000_000 }],
        author: '',
        created_at: 1_700_000_000,
        title: 't',
        head_ref: 'h',
        base_ref: 'main',
        commits: [
          {
            sha1: SHA,
            message: 'm',
            author: 'A <a@b.c>',
            author_username: 'a',
            timestamp: 1_700_000_000,
            branch: 'h',
            verified: false,
            signature_state: 'UNSIGNED',
          },
        ],
      }),
    ],
    [
      'a pull request without approvers',
      'pull_request',
      buildPullRequest({ approvers: null, author: 'a', commits: [] }),
    ],
    [
      'a pull request with approvers by name alone',
      'pull_request',
      buildPullRequest({ approvers: [{ username: 'Tom (@tom)' }], author: 'a', commits: [] }),
    ],
    [
      'a pull request as older clients sent it',
      'pull_request',
      buildPullRequest({ approvers: ['tom', 'mira'] }),
    ],
    ['no pull request', 'pull_request', { ...PULLS, pull_requests: [] }],
    ['a custom list', 'custom', { ...COMMON, type_name: 'my.type~1', attestation_data: [1] }],
    ['a custom null', 'custom', { ...COMMON, type_name: 'coverage.v1', attestation_data: null }],
    [
      'a decision',
      'system',
      { ...COMMON, type_name: 'decision', control: 'RCTL-1', attestation_data: { is_compliant: false } },
    ],
  ])('is accepted, as a form and with a file: %s', async (_what, kind, data) => {
    for (const more of [{}, { attachment_file: makeFile('evidence') }]) {
      const { status, text } = await attest(kind, data, more)
      expect([status, text]).toEqual([201, expect.any(String)])
    }
    expect((await app.member.post(`/attestations/acme/ci/trail/trail/${kind}`, data)).status).toBe(201)
    const { body } = await app.reader.get('/attestations/acme/ci/trail/trail/bar')
    expect(body.length).toBeGreaterThanOrEqual(3)
  })

  it.each([
    ['custom:coverage.v1', 'custom', { type_name: 'coverage.v1', attestation_data: null }],
    [
      'system:decision',
      'system',
      { type_name: 'decision', control: 'RCTL-1', attestation_data: { is_compliant: false } },
    ],
    ['generic', 'generic', { is_compliant: false }],
  ])('that overrides one of type %s is accepted', async (original_attestation_type, kind, data) => {
    const attestation_name = `of-${kind}`
    expect((await attest(kind, { ...COMMON, ...data, attestation_name })).status).toBe(201)
    const sent = { ...OVERRIDE, attestation_name, original_attestation_type }
    expect((await app.member.post('/attestations/acme/ci/trail/trail/override', sent)).status).toBe(200)
  })
})

describe('every other request', () => {
  it('is accepted: a flow with its template, a trail, an artifact, a report, and the reads', async () => {
    const flow = { name: 'go', description: '', visibility: 'private' }
    const sent = { data_json: JSON.stringify(flow), template_file: makeFile('version: 1\n') }
    expect((await app.member.form('PUT', '/flows/acme/template_file', sent)).status).toBe(201)
    const git_commit_info = {
      sha1: SHA,
      message: 'm',
      author: 'A <a@b.c>',
      branch: 'main',
      timestamp: 1,
      url: '',
    }
    const trail = { name: 'run', description: '', git_commit_info, origin_url: 'https://ci.example.com/1' }
    const begun = await app.member.form('PUT', '/trails/acme/go', { data_json: JSON.stringify(trail) })
    expect(begun.status).toBe(201)
    const artifact = makeBuild(makeFingerprint('a1'), {
      ...nameTrail('run', 'cli'),
      git_commit_info,
      commits_list: [{ ...git_commit_info, sha1: OTHER_SHA, parents: [] }],
      repo_url: 'https://git.example.com/acme/go',
    })
    expect((await app.member.post('/artifacts/acme/go', artifact)).status).toBe(201)
    await makeEnvironment(app, 'cluster')
    const pod = {
      podName: 'p',
      namespace: 'n',
      owners: null,
      digests: { cli: makeFingerprint('a1') },
      creationTimestamp: 1,
    }
    const running = { artifacts: [pod] }
    expect((await app.snapshotter.put('/environments/acme/cluster/report/K8S', running)).status).toBe(200)
    const asserted = await app.reader.get(`/asserts/acme/fingerprint/${makeFingerprint('a1')}?flow_name=go`)
    expect([asserted.status, asserted.body.compliant]).toEqual([200, true])
    const [shown] = (await app.reader.get('/snapshots/acme/cluster/-1')).body.artifacts
    expect(shown).toMatchObject({ flow_name: 'go', git_commit: SHA })
  })
})
