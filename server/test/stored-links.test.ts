// Stored addresses that may be shown as links: only web addresses, and for repositories also addresses that git can
// fetch from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from './reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
  await app.admin.patch('/organizations/acme', { features: { controls: true } })
})
afterAll(() => app.stop())

const RUN = '/attestations/acme/ci/trail/run'
const buildAttestation = (more: object) => ({ attestation_name: 'x', ...more })
const buildApproval = (approval_url: string) => ({
  artifact_fingerprint: makeFingerprint('a'),
  description: '',
  src_commit_list: [],
  approvals: [{ state: 'APPROVED', approved_by: 'Ada', approval_url }],
})
const buildSnyk = (uri: string) => ({
  schema_version: 1,
  tool: { name: 'scanner' },
  results: [
    { high_count: 1, medium_count: 0, low_count: 0, high: [{ id: '1', message: '', locations: [{ uri }] }] },
  ],
})

type Case = [field: string, method: 'POST' | 'PUT', path: string, body: (address: string) => object]

const LINKS: Case[] = [
  ['origin_url', 'PUT', '/trails/acme/ci', url => ({ name: 'run', origin_url: url })],
  [
    'external_urls.a.href',
    'PUT',
    '/trails/acme/ci',
    href => ({ name: 'run', external_urls: { a: { href } } }),
  ],
  ['build_url', 'POST', '/artifacts/acme/ci', build_url => makeBuild(makeFingerprint('b'), { build_url })],
  ['commit_url', 'POST', '/artifacts/acme/ci', commit_url => makeBuild(makeFingerprint('b'), { commit_url })],
  [
    'jira_results[0].issue_url',
    'POST',
    `${RUN}/jira`,
    issue_url => buildAttestation({ jira_results: [{ issue_id: 'A-1', issue_url, issue_exists: true }] }),
  ],
  [
    'pull_requests[0].url',
    'POST',
    `${RUN}/pull_request`,
    url => buildAttestation({ git_provider: 'github', pull_requests: [{ url, state: 'MERGED' }] }),
  ],
  [
    'sonar_results.project.url',
    'POST',
    `${RUN}/sonar`,
    url => buildAttestation({ sonar_results: { project: { url } } }),
  ],
  [
    'sonar_results.serverUrl',
    'POST',
    `${RUN}/sonar`,
    serverUrl => buildAttestation({ sonar_results: { serverUrl } }),
  ],
  ['links.law', 'POST', '/controls/acme', law => ({ identifier: 'A-1', name: 'A', links: { law } })],
]

const REPOSITORIES: Case[] = [
  [
    'repo_info.url',
    'PUT',
    '/trails/acme/ci',
    url => ({ name: 'run', repo_info: { id: '1', name: 'a', url } }),
  ],
  [
    'git_commit_info.url',
    'PUT',
    '/trails/acme/ci',
    url => ({ name: 'run', git_commit_info: { sha1: SHA, url } }),
  ],
  ['repo_url', 'POST', '/artifacts/acme/ci', repo_url => makeBuild(makeFingerprint('b'), { repo_url })],
]

/** Fields that clients also fill with words, file names or image names. */
const LOOSE: Case[] = [
  [
    'snyk_results.results[0].high[0].locations[0].uri',
    'POST',
    `${RUN}/snyk`,
    uri => buildAttestation({ snyk_results: buildSnyk(uri) }),
  ],
  ['approvals[0].approval_url', 'POST', '/approvals/acme/ci', buildApproval],
]

const SCRIPTS = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'javascript::alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://example.com/1',
  'view-source:javascript:alert(1)',
  'intent://scan/#Intent;scheme=x;end',
  'chrome://settings',
]

const countStored = async () =>
  (
    await app.sql(`select (select count(*)::int from attestations) as attestations,
      (select count(*)::int from events) as events`)
  )[0]

describe.each([...LINKS, ...REPOSITORIES, ...LOOSE])('400: %s', (field, method, path, body) => {
  it.each(SCRIPTS.filter(script => !LOOSE.some(([name]) => name === field) || !/^view-/.test(script)))(
    'is not %j',
    async address => {
      const before = await countStored()
      const answer = await app.admin.call(method, path, body(address))
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, [field]])
      expect(await countStored()).toEqual(before)
    },
  )
})

describe('accepted', () => {
  it.each(LINKS)('%s with a web address', async (_, method, path, body) => {
    expect((await app.admin.call(method, path, body('https://example.com/a?b=c#d'))).status).toBeLessThan(300)
  })

  it.each(
    REPOSITORIES.flatMap(([field, method, path, body]) =>
      [
        'https://git.example.com/acme/a',
        'ssh://git@git.example.com/acme/a.git',
        'git@git.example.com:acme/a.git',
        'git.example.com:acme/a.git',
        'svn+ssh://svn.example.com/a',
        '/srv/git/a.git',
        '../a',
        'D:\\repos\\a',
        '',
      ].map(address => [field, address, method, path, body] as const),
    ),
  )('%s %j', async (_, address, method, path, body) => {
    expect((await app.admin.call(method, path, body(address))).status).toBeLessThan(300)
  })

  it.each(
    LOOSE.flatMap(([field, method, path, body]) =>
      ['https://example.com/a', 'undefined', 'src/a.ts', 'file:///src/a.ts', 'alpine:3.19', ''].map(
        text => [field, text, method, path, body] as const,
      ),
    ),
  )('%s %j', async (_, text, method, path, body) => {
    expect((await app.admin.call(method, path, body(text))).status).toBeLessThan(300)
  })
})
