// The variables of a job in each CI system, by the event that started it.
import type { CiFact } from '../src/program/flags.ts'

export const COMMIT = '9f3182061f1e2cca4702c368cbc039b7dc9d4485'
const MERGE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
const UUID = '0184990a-477b-4fa8-9968-496074483cee'

export interface CiJobExample {
  system: string
  event: 'push' | 'pull request' | 'tag' | 'schedule'
  env: Record<string, string>
  /** The event file. */
  file?: unknown
  facts: Partial<Record<CiFact, string>>
}

const GITHUB = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/backend',
  GITHUB_REPOSITORY_ID: '74',
  GITHUB_RUN_ID: '1658821493',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'build',
  GITHUB_ACTION: '__run',
  GITHUB_EVENT_PATH: '/event.json',
  GITHUB_SHA: COMMIT,
}
const GITHUB_FACTS = {
  commit: COMMIT,
  build_url: 'https://github.com/acme/backend/actions/runs/1658821493/attempts/2',
  commit_url: `https://github.com/acme/backend/commit/${COMMIT}`,
  repository: 'acme/backend',
  repository_id: '74',
  repository_url: 'https://github.com/acme/backend',
  repository_provider: 'github',
}
const onGithub = (event: string, ref: string, more = {}) => ({
  ...GITHUB,
  GITHUB_EVENT_NAME: event,
  GITHUB_REF: ref,
  GITHUB_REF_NAME: ref.replace(/^refs\/(heads|tags|pull)\//, ''),
  GITHUB_REF_TYPE: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
  ...more,
})

const GITLAB = {
  CI: 'true',
  GITLAB_CI: 'true',
  CI_COMMIT_SHA: COMMIT,
  CI_JOB_URL: 'https://gitlab.example/acme/backend/-/jobs/9',
  CI_JOB_ID: '9',
  CI_JOB_NAME: 'build 1/2',
  CI_PIPELINE_ID: '8',
  CI_PROJECT_URL: 'https://gitlab.example/acme/backend',
  CI_PROJECT_PATH: 'acme/backend',
  CI_PROJECT_ID: '22',
}
const GITLAB_FACTS = {
  commit: COMMIT,
  build_url: 'https://gitlab.example/acme/backend/-/jobs/9',
  commit_url: `https://gitlab.example/acme/backend/-/commit/${COMMIT}`,
  repository: 'acme/backend',
  repository_id: '22',
  repository_url: 'https://gitlab.example/acme/backend',
  repository_provider: 'gitlab',
}

const JENKINS = {
  JENKINS_URL: 'https://jenkins.example/',
  GIT_COMMIT: COMMIT,
  GIT_URL: 'git@github.com:acme/backend.git',
  BUILD_URL: 'https://jenkins.example/job/backend/7/',
  BUILD_TAG: 'jenkins-backend-7',
  BUILD_ID: '7',
  JOB_NAME: 'backend',
  STAGE_NAME: 'Build',
}
const FROM_GITHUB = {
  repository: 'acme/backend',
  repository_url: 'https://github.com/acme/backend',
  repository_provider: 'github',
  commit_url: `https://github.com/acme/backend/commit/${COMMIT}`,
}
const JENKINS_FACTS = { commit: COMMIT, build_url: 'https://jenkins.example/job/backend/7/', ...FROM_GITHUB }

const CIRCLECI = {
  CI: 'true',
  CIRCLECI: 'true',
  CIRCLE_SHA1: COMMIT,
  CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/backend/5',
  CIRCLE_BUILD_NUM: '5',
  CIRCLE_PROJECT_USERNAME: 'acme',
  CIRCLE_PROJECT_REPONAME: 'backend',
  CIRCLE_PROJECT_ID: UUID,
  CIRCLE_REPOSITORY_URL: 'git@github.com:acme/backend.git',
  CIRCLE_PIPELINE_ID: UUID,
  CIRCLE_JOB: 'build',
  CIRCLE_NODE_INDEX: '0',
}
const CIRCLECI_FACTS = {
  commit: COMMIT,
  build_url: 'https://circleci.com/gh/acme/backend/5',
  repository_id: UUID,
  ...FROM_GITHUB,
}

const AZURE = {
  TF_BUILD: 'True',
  BUILD_SOURCEVERSION: COMMIT,
  BUILD_BUILDID: '12',
  SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
  SYSTEM_TEAMPROJECT: 'Big Project',
  SYSTEM_TEAMPROJECTID: UUID,
  SYSTEM_STAGENAME: '__default',
  SYSTEM_JOBNAME: 'Job',
  SYSTEM_JOBATTEMPT: '1',
  BUILD_REPOSITORY_NAME: 'backend',
  BUILD_REPOSITORY_ID: UUID,
  BUILD_REPOSITORY_URI: 'https://acme@dev.azure.com/acme/Big%20Project/_git/backend',
}
const AZURE_FACTS = {
  commit: COMMIT,
  build_url: `https://dev.azure.com/acme/${UUID}/_build/results?buildId=12`,
  repository: 'backend',
  repository_id: UUID,
  repository_provider: 'azure-devops',
  repository_url: 'https://dev.azure.com/acme/Big%20Project/_git/backend',
  commit_url: `https://dev.azure.com/acme/Big%20Project/_git/backend/commit/${COMMIT}`,
}

const BITBUCKET = {
  CI: 'true',
  BITBUCKET_BUILD_NUMBER: '3',
  BITBUCKET_COMMIT: COMMIT,
  BITBUCKET_REPO_FULL_NAME: 'acme/backend',
  BITBUCKET_REPO_UUID: `{${UUID}}`,
  BITBUCKET_GIT_HTTP_ORIGIN: 'http://bitbucket.org/acme/backend',
  BITBUCKET_PIPELINE_UUID: `{${UUID}}`,
  BITBUCKET_STEP_UUID: `{${UUID}}`,
  BITBUCKET_STEP_RUN_NUMBER: '1',
}
const BITBUCKET_FACTS = {
  commit: COMMIT,
  build_url: 'https://bitbucket.org/acme/backend/pipelines/results/3',
  commit_url: `https://bitbucket.org/acme/backend/commits/${COMMIT}`,
  repository: 'acme/backend',
  repository_id: `{${UUID}}`,
  repository_url: 'https://bitbucket.org/acme/backend',
  repository_provider: 'bitbucket',
}

const BUILDKITE = {
  CI: 'true',
  BUILDKITE: 'true',
  BUILDKITE_COMMIT: COMMIT,
  BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/backend/builds/4',
  BUILDKITE_JOB_ID: UUID,
  BUILDKITE_BUILD_ID: UUID,
  BUILDKITE_STEP_ID: UUID,
  BUILDKITE_RETRY_COUNT: '0',
  BUILDKITE_REPO: 'git@github.com:acme/backend.git',
}
const BUILDKITE_FACTS = {
  commit: COMMIT,
  build_url: `https://buildkite.com/acme/backend/builds/4#${UUID}`,
  ...FROM_GITHUB,
}

type Row = [CiJobExample['event'], Record<string, string>, Partial<Record<CiFact, string>>, unknown?]
const list = (system: string, base: Partial<Record<CiFact, string>>, rows: Row[]): CiJobExample[] =>
  rows.map(([event, env, facts, file]) => ({ system, event, env, file, facts: { ...base, ...facts } }))

export const CI_JOBS: readonly CiJobExample[] = [
  ...list('github', GITHUB_FACTS, [
    ['push', onGithub('push', 'refs/heads/main'), { branch: 'main' }],
    [
      'pull request',
      onGithub('pull_request', 'refs/pull/5/merge', { GITHUB_SHA: MERGE, GITHUB_HEAD_REF: 'fix' }),
      { branch: 'fix' },
      { pull_request: { head: { sha: COMMIT } } },
    ],
    ['tag', onGithub('push', 'refs/tags/v1'), { tag: 'v1' }],
    ['schedule', onGithub('schedule', 'refs/heads/main'), { branch: 'main' }, { schedule: '0 0 * * *' }],
  ]),
  ...list('gitlab', GITLAB_FACTS, [
    ['push', { ...GITLAB, CI_COMMIT_BRANCH: 'main', CI_COMMIT_REF_NAME: 'main' }, { branch: 'main' }],
    [
      'pull request',
      {
        ...GITLAB,
        CI_COMMIT_SHA: MERGE,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: COMMIT,
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
        CI_COMMIT_REF_NAME: 'refs/merge-requests/1/merge',
      },
      { branch: 'fix' },
    ],
    ['tag', { ...GITLAB, CI_COMMIT_TAG: 'v1', CI_COMMIT_REF_NAME: 'v1' }, { tag: 'v1' }],
    ['schedule', { ...GITLAB, CI_COMMIT_BRANCH: 'main', CI_PIPELINE_SOURCE: 'schedule' }, { branch: 'main' }],
  ]),
  ...list('jenkins', JENKINS_FACTS, [
    ['push', { ...JENKINS, GIT_BRANCH: 'origin/main' }, { branch: 'main' }],
    [
      'pull request',
      { ...JENKINS, CHANGE_ID: '5', CHANGE_BRANCH: 'fix', BRANCH_NAME: 'PR-5', GIT_BRANCH: 'PR-5' },
      { branch: 'fix' },
    ],
    ['tag', { ...JENKINS, TAG_NAME: 'v1', BRANCH_NAME: 'v1', GIT_BRANCH: 'v1' }, { tag: 'v1' }],
    ['schedule', { ...JENKINS, BRANCH_NAME: 'main' }, { branch: 'main' }],
  ]),
  ...list('circleci', CIRCLECI_FACTS, [
    ['push', { ...CIRCLECI, CIRCLE_BRANCH: 'main' }, { branch: 'main' }],
    ['pull request', { ...CIRCLECI, CIRCLE_BRANCH: 'fix', CIRCLE_PULL_REQUEST: 'x' }, { branch: 'fix' }],
    ['tag', { ...CIRCLECI, CIRCLE_TAG: 'v1' }, { tag: 'v1' }],
    ['schedule', { ...CIRCLECI, CIRCLE_BRANCH: 'main' }, { branch: 'main' }],
  ]),
  ...list('azure', AZURE_FACTS, [
    ['push', { ...AZURE, BUILD_SOURCEBRANCH: 'refs/heads/main' }, { branch: 'main' }],
    [
      'pull request',
      {
        ...AZURE,
        BUILD_SOURCEVERSION: MERGE,
        BUILD_SOURCEBRANCH: 'refs/pull/5/merge',
        SYSTEM_PULLREQUEST_SOURCECOMMITID: COMMIT,
        SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/fix',
      },
      { branch: 'fix' },
    ],
    ['tag', { ...AZURE, BUILD_SOURCEBRANCH: 'refs/tags/v1' }, { tag: 'v1' }],
    [
      'schedule',
      { ...AZURE, BUILD_SOURCEBRANCH: 'refs/heads/main', BUILD_REASON: 'Schedule' },
      { branch: 'main' },
    ],
  ]),
  ...list('bitbucket', BITBUCKET_FACTS, [
    ['push', { ...BITBUCKET, BITBUCKET_BRANCH: 'main' }, { branch: 'main' }],
    ['pull request', { ...BITBUCKET, BITBUCKET_BRANCH: 'fix', BITBUCKET_PR_ID: '5' }, { branch: 'fix' }],
    ['tag', { ...BITBUCKET, BITBUCKET_TAG: 'v1' }, { tag: 'v1' }],
    ['schedule', { ...BITBUCKET, BITBUCKET_BRANCH: 'main' }, { branch: 'main' }],
  ]),
  ...list('buildkite', BUILDKITE_FACTS, [
    ['push', { ...BUILDKITE, BUILDKITE_BRANCH: 'main' }, { branch: 'main' }],
    [
      'pull request',
      { ...BUILDKITE, BUILDKITE_BRANCH: 'fix', BUILDKITE_PULL_REQUEST: '5' },
      { branch: 'fix' },
    ],
    ['tag', { ...BUILDKITE, BUILDKITE_BRANCH: 'v1', BUILDKITE_TAG: 'v1' }, { tag: 'v1' }],
    [
      'schedule',
      { ...BUILDKITE, BUILDKITE_BRANCH: 'main', BUILDKITE_SOURCE: 'schedule' },
      { branch: 'main' },
    ],
  ]),
]

/** Token claims that issuers other than GitHub do not send. */
export const NOT_OF_GITHUB = {
  repository: undefined,
  repository_id: undefined,
  ref: undefined,
  workflow_ref: undefined,
}
