// How each git host reports the pull requests that contain a commit, and who approved them.
import type { AskHost } from '../http/ask-host.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { type FindPullRequests, type PullRequest, type Review, toSeconds } from './pull-request.ts'

/** Reads no more pull requests than this for one commit, even if the host has more. */
const MOST = 100

interface GithubPull {
  number: number
  html_url: string
  state: string
  title?: string
  merged_at?: string | null
  created_at?: string
  merge_commit_sha?: string | null
  user?: { login?: string } | null
  head?: { ref?: string }
  base?: { ref?: string }
}

interface GithubReview {
  user?: { login?: string } | null
  state?: string
  submitted_at?: string
}

export function askGithub(ask: AskHost, repository: string): FindPullRequests {
  const base = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
  return async commit => {
    const pulls = (await ask(
      `${base}/commits/${encodeURIComponent(commit)}/pulls?per_page=${MOST}`,
    )) as GithubPull[]
    return Promise.all(pulls.map(pull => describeGithubPull(pull, ask, base)))
  }
}

async function describeGithubPull(pull: GithubPull, ask: AskHost, base: string): Promise<PullRequest> {
  const found = (await ask(`${base}/pulls/${pull.number}/reviews?per_page=${MOST}`)) as GithubReview[]
  const reviews = found.flatMap(({ user, state = '', submitted_at }): Review[] =>
    user?.login === undefined
      ? []
      : [dropMissing({ username: user.login, state, timestamp: toSeconds(submitted_at) })],
  )
  return dropMissing({
    url: pull.html_url,
    state: pull.merged_at ? 'MERGED' : pull.state.toUpperCase(),
    merge_commit: pull.merge_commit_sha ?? undefined,
    approvers: listApprovers(reviews),
    reviews,
    author: pull.user?.login,
    title: pull.title,
    head_ref: pull.head?.ref,
    base_ref: pull.base?.ref,
    created_at: toSeconds(pull.created_at),
    merged_at: toSeconds(pull.merged_at),
  })
}

/** People whose last review is an approval that they did not withdraw. */
function listApprovers(reviews: readonly Review[]): string[] {
  const last = new Map<string, string>()
  // A comment does not change the verdict.
  for (const { username, state } of reviews) if (state !== 'COMMENTED') last.set(username, state)
  return [...last].flatMap(([username, state]) => (state === 'APPROVED' ? [username] : []))
}

interface GitlabRequest {
  iid: number
  web_url: string
  state: string
  title?: string
  merged_at?: string | null
  created_at?: string
  merge_commit_sha?: string | null
  squash_commit_sha?: string | null
  author?: { username?: string }
  source_branch?: string
  target_branch?: string
}

export function askGitlab(ask: AskHost, repository: string): FindPullRequests {
  const base = `/api/v4/projects/${encodeURIComponent(repository)}`
  return async commit => {
    const found = (await ask(
      `${base}/repository/commits/${encodeURIComponent(commit)}/merge_requests`,
    )) as GitlabRequest[]
    return Promise.all(
      found.slice(0, MOST).map(async request => {
        const { approved_by = [] } = (await ask(`${base}/merge_requests/${request.iid}/approvals`)) as {
          approved_by?: { user?: { username?: string } }[]
        }
        return dropMissing({
          url: request.web_url,
          state: request.state.toUpperCase(),
          merge_commit: request.merge_commit_sha ?? request.squash_commit_sha ?? undefined,
          approvers: approved_by.flatMap(({ user }) => user?.username ?? []),
          author: request.author?.username,
          title: request.title,
          head_ref: request.source_branch,
          base_ref: request.target_branch,
          created_at: toSeconds(request.created_at),
          merged_at: toSeconds(request.merged_at),
        })
      }),
    )
  }
}

interface BitbucketPull {
  id: number
  state: string
  title?: string
  created_on?: string
  closed_by?: unknown
  merge_commit?: { hash?: string } | null
  author?: { nickname?: string; display_name?: string }
  source?: { branch?: { name?: string } }
  destination?: { branch?: { name?: string } }
  links?: { html?: { href?: string } }
  participants?: { approved?: boolean; user?: { nickname?: string; display_name?: string } }[]
}

export function askBitbucket(ask: AskHost, repository: string): FindPullRequests {
  const base = `/2.0/repositories/${repository.split('/').map(encodeURIComponent).join('/')}`
  return async commit => {
    const { values = [] } = (await ask(`${base}/commit/${encodeURIComponent(commit)}/pullrequests`)) as {
      values?: { id: number }[]
    }
    return Promise.all(
      values.slice(0, MOST).map(async ({ id }) => {
        const pull = (await ask(`${base}/pullrequests/${id}`)) as BitbucketPull
        return dropMissing({
          url: pull.links?.html?.href ?? '',
          state: pull.state,
          merge_commit: pull.merge_commit?.hash,
          approvers: (pull.participants ?? []).flatMap(({ approved, user }) =>
            approved ? (user?.nickname ?? user?.display_name ?? []) : [],
          ),
          author: pull.author?.nickname ?? pull.author?.display_name,
          title: pull.title,
          head_ref: pull.source?.branch?.name,
          base_ref: pull.destination?.branch?.name,
          created_at: toSeconds(pull.created_on),
        })
      }),
    )
  }
}

interface AzurePull {
  pullRequestId: number
  status: string
  title?: string
  creationDate?: string
  closedDate?: string
  createdBy?: { uniqueName?: string; displayName?: string }
  sourceRefName?: string
  targetRefName?: string
  lastMergeCommit?: { commitId?: string }
  reviewers?: { vote?: number; uniqueName?: string; displayName?: string }[]
}

/** 10 means approved, and 5 approved with suggestions; negative votes reject or wait. */
const APPROVING_VOTE = 5

export function askAzure(
  ask: AskHost,
  project: string,
  repository: string,
  org_url: string,
): FindPullRequests {
  const place = `/${encodeURIComponent(project)}/_apis/git/repositories/${encodeURIComponent(repository)}`
  return async commit => {
    const queries = ['lastMergeCommit', 'commit'].map(type => ({ type, items: [commit] }))
    const { results = [] } = (await ask(`${place}/pullrequestquery?api-version=7.1`, { queries })) as {
      results?: Record<string, AzurePull[]>[]
    }
    const pulls = new Map(
      results.flatMap(result => Object.values(result).flat()).map(pull => [pull.pullRequestId, pull]),
    )
    return [...pulls.values()].map(pull =>
      dropMissing({
        url: `${org_url.replace(/\/+$/, '')}/${encodeURIComponent(project)}/_git/${encodeURIComponent(repository)}/pullrequest/${pull.pullRequestId}`,
        state: pull.status.toUpperCase(),
        merge_commit: pull.lastMergeCommit?.commitId,
        approvers: (pull.reviewers ?? []).flatMap(({ vote = 0, uniqueName, displayName }) =>
          vote >= APPROVING_VOTE ? (uniqueName ?? displayName ?? []) : [],
        ),
        author: pull.createdBy?.uniqueName ?? pull.createdBy?.displayName,
        title: pull.title,
        head_ref: pull.sourceRefName,
        base_ref: pull.targetRefName,
        created_at: toSeconds(pull.creationDate),
        merged_at: pull.status === 'completed' ? toSeconds(pull.closedDate) : undefined,
      }),
    )
  }
}
