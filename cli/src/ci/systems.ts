// The supported CI systems, as data: how to recognize each, and which variable holds which fact. Every value
// keeps the name of its variable, so that `waybill ci` can show where it comes from.
// docs/adr/0038-keyless-issuers.md names the documentation of each.
import type { CiFact } from '../program/flags.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable, or a text made from several: `{NAME}` stands for the variable's value, and all must be set. */
export type Source =
  | string
  | {
      text: string
      /** Counts only if the value begins with this prefix, which is removed. */
      strip?: string
      /** Counts only if none of these variables is set, or none has this value. */
      unless?: Readonly<Record<string, string | true>>
    }

export interface CiSystem {
  id: string
  name: string
  /** Set in every job of this system. */
  recognized_by: string
  facts: Partial<Record<CiFact, readonly Source[]>>
  /** Identifies the run; the same for each retry. */
  run: readonly Source[]
  /** Identifies the step within the run. */
  step: readonly Source[]
  attempt: readonly Source[]
  /** The event file that started the run, and the events for which its commit counts. */
  event?: { file: string; name: string; kinds: readonly string[] }
  /** How the job gets an identity token; see tokens.ts. */
  token: TokenSource | undefined
  /** How to let a job get a token. */
  token_hint: string
  /** The folder that is removed with the job. */
  temporary_folder?: string
  /** Whether the system takes commands from the output of the job; see log-guard.ts. */
  reads_log?: true
}

export type TokenSource =
  | { kind: 'github'; url: string; bearer: string }
  | { kind: 'azure'; url: string; bearer: string; connections: readonly string[] }
  | { kind: 'variables'; names: readonly string[] }
  | { kind: 'command'; program: string; args: readonly string[] }

export const CI_SYSTEMS: readonly CiSystem[] = [
  {
    id: 'github',
    name: 'GitHub Actions',
    recognized_by: 'GITHUB_ACTIONS',
    facts: {
      commit: ['{GITHUB_SHA}'],
      // In jobs for a tag, the ref name is the tag name. `pull_request_target` jobs run the base branch.
      branch: [
        { text: '{GITHUB_HEAD_REF}', unless: { GITHUB_EVENT_NAME: 'pull_request_target' } },
        { text: '{GITHUB_REF_NAME}', unless: { GITHUB_REF_TYPE: 'tag' } },
      ],
      tag: [{ text: '{GITHUB_REF}', strip: 'refs/tags/' }],
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
    event: {
      file: 'GITHUB_EVENT_PATH',
      name: 'GITHUB_EVENT_NAME',
      kinds: ['pull_request', 'pull_request_review', 'pull_request_review_comment'],
    },
    token: { kind: 'github', url: 'ACTIONS_ID_TOKEN_REQUEST_URL', bearer: 'ACTIONS_ID_TOKEN_REQUEST_TOKEN' },
    token_hint: 'Give the job "permissions: id-token: write".',
    temporary_folder: 'RUNNER_TEMP',
    reads_log: true,
  },
  {
    id: 'gitlab',
    name: 'GitLab CI',
    recognized_by: 'GITLAB_CI',
    facts: {
      // In merged results pipelines, CI_COMMIT_SHA is a merge commit that exists only for the pipeline.
      commit: ['{CI_MERGE_REQUEST_SOURCE_BRANCH_SHA}', '{CI_COMMIT_SHA}'],
      branch: ['{CI_COMMIT_BRANCH}', '{CI_MERGE_REQUEST_SOURCE_BRANCH_NAME}'],
      tag: ['{CI_COMMIT_TAG}'],
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
    token: undefined,
    token_hint: 'Give the job "id_tokens: WAYBILL_ID_TOKEN: aud: <host>/<org>".',
  },
  {
    id: 'jenkins',
    name: 'Jenkins',
    recognized_by: 'JENKINS_URL',
    facts: {
      commit: ['{GIT_COMMIT}'],
      // BRANCH_NAME is the number of a change request, or the name of a tag.
      branch: [
        '{CHANGE_BRANCH}',
        { text: '{BRANCH_NAME}', unless: { CHANGE_ID: true, TAG_NAME: true } },
        { text: '{GIT_LOCAL_BRANCH}', unless: { CHANGE_ID: true, TAG_NAME: true } },
        { text: '{GIT_BRANCH}', strip: 'origin/', unless: { CHANGE_ID: true, TAG_NAME: true } },
        { text: '{GIT_BRANCH}', unless: { CHANGE_ID: true, TAG_NAME: true } },
      ],
      tag: ['{TAG_NAME}'],
      build_url: ['{BUILD_URL}'],
      repository_url: ['{GIT_URL}'],
    },
    run: ['{BUILD_TAG}'],
    step: ['{JOB_NAME}/{STAGE_NAME}', '{JOB_NAME}'],
    attempt: ['{BUILD_ID}'],
    token: undefined,
    token_hint:
      'Bind a credential of the OpenID Connect Provider plugin to WAYBILL_ID_TOKEN, or as a file to WAYBILL_ID_TOKEN_FILE.',
    temporary_folder: 'WORKSPACE_TMP',
  },
  {
    id: 'circleci',
    name: 'CircleCI',
    recognized_by: 'CIRCLECI',
    facts: {
      commit: ['{CIRCLE_SHA1}'],
      branch: ['{CIRCLE_BRANCH}'],
      tag: ['{CIRCLE_TAG}'],
      build_url: ['{CIRCLE_BUILD_URL}'],
      repository: ['{CIRCLE_PROJECT_USERNAME}/{CIRCLE_PROJECT_REPONAME}'],
      repository_id: ['{CIRCLE_PROJECT_ID}'],
      repository_url: ['{CIRCLE_REPOSITORY_URL}'],
    },
    run: ['{CIRCLE_PIPELINE_ID}', '{CIRCLE_WORKFLOW_ID}'],
    step: ['{CIRCLE_JOB}/{CIRCLE_NODE_INDEX}', '{CIRCLE_JOB}'],
    attempt: ['{CIRCLE_WORKFLOW_JOB_ID}', '{CIRCLE_BUILD_NUM}'],
    token: { kind: 'variables', names: ['CIRCLE_OIDC_TOKEN_V2'] },
    token_hint:
      'CircleCI sets CIRCLE_OIDC_TOKEN_V2; jobs of forks get none unless the project passes them secrets.',
  },
  {
    id: 'azure',
    name: 'Azure Pipelines',
    recognized_by: 'TF_BUILD',
    facts: {
      commit: ['{SYSTEM_PULLREQUEST_SOURCECOMMITID}', '{BUILD_SOURCEVERSION}'],
      branch: [
        { text: '{SYSTEM_PULLREQUEST_SOURCEBRANCH}', strip: 'refs/heads/' },
        '{SYSTEM_PULLREQUEST_SOURCEBRANCH}',
        { text: '{BUILD_SOURCEBRANCH}', strip: 'refs/heads/' },
      ],
      tag: [{ text: '{BUILD_SOURCEBRANCH}', strip: 'refs/tags/' }],
      // By project id: the project name may contain spaces.
      build_url: ['{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECTID}/_build/results?buildId={BUILD_BUILDID}'],
      repository: ['{BUILD_REPOSITORY_NAME}'],
      repository_id: ['{BUILD_REPOSITORY_ID}'],
      repository_url: ['{BUILD_REPOSITORY_URI}'],
    },
    run: ['{BUILD_BUILDID}'],
    step: ['{SYSTEM_STAGENAME}/{SYSTEM_JOBNAME}', '{SYSTEM_JOBNAME}'],
    attempt: ['{SYSTEM_JOBATTEMPT}'],
    token: {
      kind: 'azure',
      url: 'SYSTEM_OIDCREQUESTURI',
      bearer: 'SYSTEM_ACCESSTOKEN',
      connections: ['WAYBILL_AZURE_SERVICE_CONNECTION_ID', 'AZURESUBSCRIPTION_SERVICE_CONNECTION_ID'],
    },
    token_hint:
      'Map SYSTEM_ACCESSTOKEN into the step, and set WAYBILL_AZURE_SERVICE_CONNECTION_ID to the id of a service connection with workload identity federation.',
    temporary_folder: 'AGENT_TEMPDIRECTORY',
    reads_log: true,
  },
  {
    id: 'bitbucket',
    name: 'Bitbucket Pipelines',
    recognized_by: 'BITBUCKET_BUILD_NUMBER',
    facts: {
      commit: ['{BITBUCKET_COMMIT}'],
      branch: ['{BITBUCKET_BRANCH}'],
      tag: ['{BITBUCKET_TAG}'],
      // BITBUCKET_GIT_HTTP_ORIGIN begins with http://.
      build_url: [
        'https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/{BITBUCKET_BUILD_NUMBER}',
      ],
      commit_url: ['https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/commits/{commit}'],
      repository: ['{BITBUCKET_REPO_FULL_NAME}'],
      repository_id: ['{BITBUCKET_REPO_UUID}'],
      repository_url: ['https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}'],
      repository_provider: ['bitbucket'],
    },
    run: ['{BITBUCKET_PIPELINE_UUID}', '{BITBUCKET_BUILD_NUMBER}'],
    step: ['{BITBUCKET_STEP_UUID}', '{BITBUCKET_PARALLEL_STEP}', 'step'],
    attempt: ['{BITBUCKET_STEP_RUN_NUMBER}'],
    token: { kind: 'variables', names: ['BITBUCKET_STEP_OIDC_TOKEN'] },
    token_hint: 'Give the step "oidc: true".',
  },
  {
    id: 'buildkite',
    name: 'Buildkite',
    recognized_by: 'BUILDKITE',
    facts: {
      commit: ['{BUILDKITE_COMMIT}'],
      branch: [{ text: '{BUILDKITE_BRANCH}', unless: { BUILDKITE_TAG: true } }],
      tag: ['{BUILDKITE_TAG}'],
      build_url: ['{BUILDKITE_BUILD_URL}#{BUILDKITE_JOB_ID}', '{BUILDKITE_BUILD_URL}'],
      repository_url: ['{BUILDKITE_REPO}'],
    },
    run: ['{BUILDKITE_BUILD_ID}'],
    step: ['{BUILDKITE_STEP_ID}/{BUILDKITE_PARALLEL_JOB}', '{BUILDKITE_STEP_ID}', '{BUILDKITE_LABEL}'],
    attempt: ['{BUILDKITE_RETRY_COUNT}'],
    token: {
      kind: 'command',
      program: 'buildkite-agent',
      args: ['oidc', 'request-token', '--audience', '{audience}', '--claim', 'pipeline_id'],
    },
    token_hint: 'The job needs the program buildkite-agent in its PATH.',
  },
]
