// Pull requests from fakes of each git host on loopback, recorded by a real service.
import { beforeEach, describe, expect, it } from 'vitest'
import { serveCli } from './served-cli.ts'
import { serveAnswers } from './stand-in.ts'

const COMMIT = '9f2c1d0b8a7e6f5d4c3b2a190817263544536271'
const IN_CI = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: COMMIT,
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_SERVER_URL: 'https://github.com',
}

const host = serveAnswers()
let number = 0
let trail: string

const served = serveCli({ role: 'member' }, async ({ cli }) => {
  await cli.run('create flow pulls --use-empty-template')
})
beforeEach(async () => {
  number += 1
  trail = `trail-${number}`
  await served.cli.run(`begin trail ${trail} --flow pulls`)
})

const attest = (kind: string, flags: string) =>
  served.cli.run(`attest pullrequest ${kind} --name review --flow pulls --trail ${trail} ${flags}`, {
    env: IN_CI,
  })

async function readRecorded() {
  const { body } = await served.app.member.get(`/attestations/acme/pulls/trail/${trail}/review`)
  return body[0]
}

describe('GitHub', () => {
  const flags = () => `--github-token secret-token --github-base-url ${host.url}`
  const reviews = (...states: [string, string][]) =>
    states.map(([login, state]) => ({ user: { login }, state, submitted_at: '2026-01-02T03:04:05Z' }))
  const pull = {
    number: 7,
    html_url: 'https://github.com/acme/shop/pull/7',
    state: 'closed',
    merged_at: '2026-01-02T04:00:00Z',
    created_at: '2026-01-02T03:00:00Z',
    merge_commit_sha: COMMIT,
    title: 'Round totals',
    user: { login: 'ada' },
    head: { ref: 'totals' },
    base: { ref: 'main' },
  }

  it('gives the pull request with its reviews, without withdrawn approvals', async () => {
    host.answers[`/repos/acme/shop/commits/${COMMIT}/pulls?per_page=100`] = [pull]
    host.answers['/repos/acme/shop/pulls/7/reviews?per_page=100'] = reviews(
      ['grace', 'APPROVED'],
      ['linus', 'APPROVED'],
      ['linus', 'CHANGES_REQUESTED'],
      ['grace', 'COMMENTED'],
    )
    const { code, stderr } = await attest('github', flags())
    expect(code, stderr).toBe(0)
    expect(await readRecorded()).toMatchObject({
      is_compliant: true,
      pull_requests: [
        {
          url: 'https://github.com/acme/shop/pull/7',
          state: 'MERGED',
          author: 'ada',
          approvers: ['grace'],
          merge_commit: COMMIT,
          head_ref: 'totals',
        },
      ],
    })
    expect(host.asked.every(({ headers }) => headers.authorization === 'Bearer secret-token')).toBe(true)
  })

  it('records that there is none, and fails only if asked to', async () => {
    host.answers[`/repos/acme/shop/commits/${COMMIT}/pulls?per_page=100`] = []
    expect((await attest('github', flags())).code).toBe(0)
    expect(await readRecorded()).toMatchObject({ is_compliant: false, pull_requests: [] })
    expect((await attest('github', `${flags()} --assert`)).code).toBe(4)
  })

  it('is exit code 6 for an unknown repository, and records nothing', async () => {
    const { code, stderr } = await attest('github', flags())
    expect(code).toBe(6)
    expect(stderr).toContain('404')
    expect(await readRecorded()).toBeUndefined()
  })

  it('gets no token without TLS', async () => {
    const { code, stderr } = await attest(
      'github',
      '--github-token t --github-base-url http://git.example.com',
    )
    expect(code).toBe(2)
    expect(stderr).toContain('https://')
  })
})

it('GitLab gives merge requests with their approvals', async () => {
  const base = '/api/v4/projects/acme%2Fshop'
  host.answers[`${base}/repository/commits/${COMMIT}/merge_requests`] = [
    {
      iid: 3,
      web_url: 'https://gitlab.com/acme/shop/-/merge_requests/3',
      state: 'merged',
      author: { username: 'ada' },
    },
  ]
  host.answers[`${base}/merge_requests/3/approvals`] = { approved_by: [{ user: { username: 'grace' } }] }
  const { code, stderr } = await attest('gitlab', `--gitlab-token secret --gitlab-base-url ${host.url}`)
  expect(code, stderr).toBe(0)
  expect(await readRecorded()).toMatchObject({
    git_provider: 'gitlab',
    pull_requests: [{ state: 'MERGED', author: 'ada', approvers: ['grace'] }],
  })
  expect(host.asked[0]?.headers['private-token']).toBe('secret')
})

it('Bitbucket gives pull requests with their approvers', async () => {
  const base = '/2.0/repositories/acme/shop'
  host.answers[`${base}/commit/${COMMIT}/pullrequests`] = { values: [{ id: 5 }] }
  host.answers[`${base}/pullrequests/5`] = {
    id: 5,
    state: 'MERGED',
    links: { html: { href: 'https://bitbucket.org/acme/shop/pull-requests/5' } },
    author: { nickname: 'ada' },
    participants: [
      { approved: true, user: { nickname: 'grace' } },
      { approved: false, user: { nickname: 'linus' } },
    ],
  }
  const { code, stderr } = await attest(
    'bitbucket',
    `--bitbucket-access-token secret --bitbucket-base-url ${host.url}`,
  )
  expect(code, stderr).toBe(0)
  expect(await readRecorded()).toMatchObject({
    git_provider: 'bitbucket',
    pull_requests: [{ state: 'MERGED', author: 'ada', approvers: ['grace'] }],
  })
})

it('Azure DevOps gives pull requests once, with approving votes', async () => {
  const pull = {
    pullRequestId: 11,
    status: 'completed',
    createdBy: { uniqueName: 'ada@example.com' },
    lastMergeCommit: { commitId: COMMIT },
    reviewers: [
      { vote: 10, uniqueName: 'grace@example.com' },
      { vote: -5, uniqueName: 'linus@example.com' },
    ],
  }
  host.answers['/shop/_apis/git/repositories/acme%2Fshop/pullrequestquery?api-version=7.1'] = {
    results: [{ [COMMIT]: [pull] }, { [COMMIT]: [pull] }],
  }
  const { code, stderr } = await attest(
    'azure',
    `--azure-token secret --azure-org-url ${host.url} --project shop`,
  )
  expect(code, stderr).toBe(0)
  const { pull_requests } = await readRecorded()
  expect(pull_requests).toMatchObject([{ author: 'ada@example.com', approvers: ['grace@example.com'] }])
})
