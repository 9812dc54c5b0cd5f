// The CI systems that the program knows, as data: how each is recognized, and which variable has which fact. Every value
// keeps the name of its variable, so that `waybill ci` can show where it comes from.
import type { CiFact } from '../program/flags.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable, or a text made from several of them: `{NAME}` stands for its value, and all must be set. */
export type Source = string

export interface CiSystem {
  id: string
  name: string
  /** Set in every job of this system. */
  recognized_by: string
  facts: Partial<Record<CiFact, readonly Source[]>>
  /** Identifies the run, the same for each attempt to repeat it. */
  run: readonly Source[]
  /** Identifies the step within the run. */
  step: readonly Source[]
  attempt: readonly Source[]
  /** The file of the event that started the run. */
  event_file?: string
  /** How the job gets an identity token; see tokens.ts. */
  token: TokenSource
}

export type TokenSource =
  | { kind: 'request'; url: string; bearer: string }
  | { kind: 'variables'; names: readonly string[] }
  | { kind: 'file'; name: string }
  | { kind: 'command'; program: string; args: readonly string[] }

export const CI_SYSTEMS: readonly CiSystem[] = [
  {
    id: 'github',
    name: 'GitHub Actions',
    recognized_by: 'GITHUB_ACTIONS',
    facts: {
      commit: ['{GITHUB_SHA}'],
      branch: ['{GITHUB_HEAD_REF}', '{GITHUB_REF_NAME}'],
      build_url: [
        '{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}/attempts/{GITHUB_RUN_ATTEMPT}',
        '{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}',
      ],
      commit_url: ['{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/commit/{commit}'],
      repository: ['{GITHUB_REPOSITORY}'],
      repository_id: ['{GITHUB_REPOSITORY_ID}'],
      repository_url: ['{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}'],
      repository_provider: ['github'],
    },
    run: ['{GITHUB_RUN_ID}'],
    step: ['{GITHUB_JOB}/{GITHUB_ACTION}'],
    attempt: ['{GITHUB_RUN_ATTEMPT}'],
    event_file: 'GITHUB_EVENT_PATH',
    token: { kind: 'request', url: 'ACTIONS_ID_TOKEN_REQUEST_URL', bearer: 'ACTIONS_ID_TOKEN_REQUEST_TOKEN' },
  },
  {
    id: 'gitlab',
    name: 'GitLab CI',
    recognized_by: 'GITLAB_CI',
    facts: {
      commit: ['{CI_COMMIT_SHA}'],
      branch: ['{CI_COMMIT_BRANCH}', '{CI_MERGE_REQUEST_SOURCE_BRANCH_NAME}', '{CI_COMMIT_REF_NAME}'],
      build_url: ['{CI_JOB_URL}'],
      commit_url: ['{CI_PROJECT_URL}/-/commit/{commit}'],
      // The whole path: two projects in different groups can have the same name.
      repository: ['{CI_PROJECT_PATH}'],
      repository_id: ['{CI_PROJECT_ID}'],
      repository_url: ['{CI_PROJECT_URL}'],
      repository_provider: ['gitlab'],
    },
    run: ['{CI_PIPELINE_ID}'],
    step: ['{CI_JOB_NAME}'],
    attempt: ['{CI_JOB_ID}'],
    token: { kind: 'variables', names: ['WAYBILL_ID_TOKEN'] },
  },
  {
    id: 'jenkins',
    name: 'Jenkins',
    recognized_by: 'JENKINS_URL',
    facts: {
      commit: ['{GIT_COMMIT}'],
      branch: ['{CHANGE_BRANCH}', '{BRANCH_NAME}', '{GIT_BRANCH}'],
      build_url: ['{BUILD_URL}'],
      repository_url: ['{GIT_URL}'],
    },
    run: ['{BUILD_TAG}'],
    step: ['{STAGE_NAME}', '{JOB_NAME}'],
    attempt: ['{BUILD_ID}'],
    token: { kind: 'file', name: 'WAYBILL_ID_TOKEN_FILE' },
  },
  {
    id: 'circleci',
    name: 'CircleCI',
    recognized_by: 'CIRCLECI',
    facts: {
      commit: ['{CIRCLE_SHA1}'],
      branch: ['{CIRCLE_BRANCH}'],
      build_url: ['{CIRCLE_BUILD_URL}'],
      repository: ['{CIRCLE_PROJECT_USERNAME}/{CIRCLE_PROJECT_REPONAME}'],
      repository_id: ['{CIRCLE_PROJECT_ID}'],
      repository_url: ['{CIRCLE_REPOSITORY_URL}'],
    },
    run: ['{CIRCLE_PIPELINE_ID}', '{CIRCLE_WORKFLOW_ID}'],
    step: ['{CIRCLE_JOB}'],
    attempt: ['{CIRCLE_WORKFLOW_JOB_ID}', '{CIRCLE_BUILD_NUM}'],
    token: { kind: 'variables', names: ['CIRCLE_OIDC_TOKEN_V2'] },
  },
  {
    id: 'azure',
    name: 'Azure Pipelines',
    recognized_by: 'TF_BUILD',
    facts: {
      commit: ['{SYSTEM_PULLREQUEST_SOURCECOMMITID}', '{BUILD_SOURCEVERSION}'],
      branch: ['{SYSTEM_PULLREQUEST_SOURCEBRANCH}', '{BUILD_SOURCEBRANCH}'],
      build_url: ['{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}'],
      repository: ['{BUILD_REPOSITORY_NAME}'],
      repository_id: ['{BUILD_REPOSITORY_ID}'],
      repository_url: ['{BUILD_REPOSITORY_URI}'],
    },
    run: ['{BUILD_BUILDID}'],
    step: ['{SYSTEM_STAGENAME}/{SYSTEM_JOBNAME}', '{SYSTEM_JOBNAME}'],
    attempt: ['{SYSTEM_JOBATTEMPT}'],
    token: { kind: 'variables', names: ['WAYBILL_ID_TOKEN'] },
  },
  {
    id: 'bitbucket',
    name: 'Bitbucket Pipelines',
    recognized_by: 'BITBUCKET_BUILD_NUMBER',
    facts: {
      commit: ['{BITBUCKET_COMMIT}'],
      branch: ['{BITBUCKET_BRANCH}'],
      build_url: ['{BITBUCKET_GIT_HTTP_ORIGIN}/pipelines/results/{BITBUCKET_BUILD_NUMBER}'],
      commit_url: ['{BITBUCKET_GIT_HTTP_ORIGIN}/commits/{commit}'],
      repository: ['{BITBUCKET_REPO_FULL_NAME}'],
      repository_id: ['{BITBUCKET_REPO_UUID}'],
      repository_url: ['{BITBUCKET_GIT_HTTP_ORIGIN}'],
      repository_provider: ['bitbucket'],
    },
    run: ['{BITBUCKET_PIPELINE_UUID}', '{BITBUCKET_BUILD_NUMBER}'],
    step: ['{BITBUCKET_PARALLEL_STEP}', 'step'],
    attempt: ['{BITBUCKET_STEP_UUID}'],
    token: { kind: 'variables', names: ['BITBUCKET_STEP_OIDC_TOKEN'] },
  },
  {
    id: 'buildkite',
    name: 'Buildkite',
    recognized_by: 'BUILDKITE',
    facts: {
      commit: ['{BUILDKITE_COMMIT}'],
      branch: ['{BUILDKITE_BRANCH}'],
      build_url: ['{BUILDKITE_BUILD_URL}#{BUILDKITE_JOB_ID}', '{BUILDKITE_BUILD_URL}'],
      repository_url: ['{BUILDKITE_REPO}'],
    },
    run: ['{BUILDKITE_BUILD_ID}'],
    step: ['{BUILDKITE_STEP_ID}', '{BUILDKITE_LABEL}'],
    attempt: ['{BUILDKITE_RETRY_COUNT}'],
    token: {
      kind: 'command',
      program: 'buildkite-agent',
      args: ['oidc', 'request-token', '--audience', '{audience}'],
    },
  },
]
