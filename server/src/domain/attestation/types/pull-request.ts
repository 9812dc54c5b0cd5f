// The type `pull_request`: the pull requests that contain a commit. Their state and approvals are stored, not
// evaluated: decisions serve that purpose.
import { type Static, Type } from 'typebox'
import {
  about,
  Closed,
  CommitAuthor,
  CommitAuthorName,
  CommitBranch,
  CommitMessage,
  CommitSignatureState,
  CommitVerified,
  Described,
  EXAMPLE_COMMIT,
  FreeText,
  WebAddressOrEmpty,
} from '../../schema.ts'
import { type AttestationVerdict, defineAttestationType, EXAMPLE_COMMIT_INFO } from '../define-type.ts'
import { MAX_ITEMS, MAX_NAME } from '../fields.ts'
import { formatCount } from '../phrases.ts'

const Approver = Closed('PullRequestApprover', {
  username: Described(FreeText, 'User name at the git provider', 'grace'),
  state: Type.Optional(Described(FreeText, 'Verdict of the review', 'APPROVED')),
  timestamp: Type.Optional(Type.Number(about('Time of the review, in epoch seconds', 1_772_532_000))),
})

const PullRequestReview = Closed('PullRequestReview', {
  username: Described(FreeText, 'User name at the git provider', 'grace'),
  state: Described(FreeText, 'Verdict of the review', 'APPROVED'),
  timestamp: Type.Optional(Type.Number(about('Time of the review, in epoch seconds', 1_772_532_000))),
  commit_sha: Type.Optional(Described(FreeText, 'Full SHA-1 of the commit', EXAMPLE_COMMIT)),
})

// Not GitCommitInfo, because git hosts use their own field names and some shorten the hash.
const PullRequestCommit = Closed('PullRequestCommit', {
  sha1: Described(FreeText, 'Full SHA-1 of the commit', EXAMPLE_COMMIT),
  message: CommitMessage,
  author: CommitAuthor,
  author_username: CommitAuthorName,
  timestamp: Type.Optional(Type.Number(about('Author time of the commit, in epoch seconds', 1_772_449_200))),
  branch: CommitBranch,
  url: Type.Optional(
    Described(WebAddressOrEmpty, 'URL of the commit', 'https://git.example.com/acme/backend/commit/4f2c1d0b'),
  ),
  verified: CommitVerified,
  signature_state: CommitSignatureState,
})

const PullRequest = Closed('PullRequest', {
  url: Described(
    WebAddressOrEmpty,
    'URL of the pull request',
    'https://git.example.com/acme/backend/pull/42',
  ),
  state: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    ...about('The state, in the terms of the git host', 'MERGED'),
  }),
  merge_commit: Type.Optional(Described(FreeText, 'SHA-1 of the merge commit', EXAMPLE_COMMIT)),
  approvers: Type.Optional(
    Type.Unsafe<(string | Static<typeof Approver>)[] | null>({
      type: ['array', 'null'],
      items: { anyOf: [Approver, { type: 'string' }] },
      maxItems: MAX_ITEMS,
      ...about('The approvers: user names, or objects with state and time', ['grace']),
    }),
  ),
  reviews: Type.Optional(
    Type.Array(PullRequestReview, { maxItems: MAX_ITEMS, ...about('All reviews, whatever their verdict') }),
  ),
  author: Type.Optional(Described(FreeText, 'User name of the author', 'ada')),
  title: Type.Optional(Described(FreeText, 'Title of the pull request', 'Round half to even')),
  head_ref: Type.Optional(Described(FreeText, 'The source branch', 'round-half-to-even')),
  base_ref: Type.Optional(Described(FreeText, 'The target branch', 'main')),
  created_at: Type.Optional(Type.Number(about('Time when it was opened, in epoch seconds', 1_772_449_200))),
  merged_at: Type.Optional(Type.Number(about('Time when it was merged, in epoch seconds', 1_772_535_600))),
  commits: Type.Optional(
    Type.Array(PullRequestCommit, { maxItems: MAX_ITEMS, ...about('The commits of the pull request') }),
  ),
})

export const pullRequest = defineAttestationType({
  name: 'pull_request',
  subject: 'pull requests',
  summary: 'Compliant when there is a pull request; state and approvals are not evaluated',
  fields: {
    git_provider: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'The git host: `github`, `gitlab`, `bitbucket`, `azure` or another one',
    }),
    pull_requests: Type.Array(PullRequest, {
      maxItems: MAX_ITEMS,
      ...about('The pull requests that contain the commit'),
    }),
  },
  evaluate: ({ pull_requests }) => evaluatePullRequests(pull_requests.length),
  example: {
    attestation_name: 'pull-request',
    git_provider: 'github',
    pull_requests: [
      {
        url: 'https://git.acme.example/acme/backend/pull/311',
        state: 'MERGED',
        merge_commit: EXAMPLE_COMMIT_INFO.sha1,
        approvers: [{ username: 'tom', state: 'APPROVED', timestamp: 1_772_529_700 }],
        author: 'mira',
        title: 'Check the address before the order is sent',
        head_ref: 'check-address',
        base_ref: 'main',
        created_at: 1_772_520_000,
        merged_at: 1_772_530_000,
        commits: [
          { ...EXAMPLE_COMMIT_INFO, branch: 'check-address', author_username: 'mira', verified: true },
        ],
      },
    ],
  },
  command: { git_provider: 'YOUR_GIT_HOST', pull_requests: 'YOUR_PULL_REQUESTS' },
  arguments: ['pullrequest', 'YOUR_GIT_HOST', '--commit', 'YOUR_COMMIT'],
})

function evaluatePullRequests(count: number): AttestationVerdict {
  return {
    is_compliant: count > 0,
    expected: 'at least one pull request',
    found: count === 0 ? 'no pull request' : formatCount(count, 'pull request'),
  }
}
