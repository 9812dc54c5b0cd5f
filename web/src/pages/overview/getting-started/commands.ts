// The first commands of an organization, with its name and URL, ready to paste: for the command line and for
// curl. Both report the same file. The pipelines come from docs/ci.md, whose tests run them.

import gitHubAction from '../../../../../deploy/ci/github/action.yml?raw'
import gitHubWorkflow from '../../../../../deploy/ci/github/build.yml?raw'
import gitLabPipeline from '../../../../../deploy/ci/gitlab/build.yml?raw'
import gitLabComponent from '../../../../../deploy/ci/gitlab/component.yml?raw'
import template from '../../../../../deploy/ci/waybill-template.yml?raw'
import { BASE_PATH } from '../../../base-path.ts'
import { readServerSeconds } from '../../../live/server-clock.ts'
import { buildApiPath, buildCurl, buildWaybill } from '../../../parts/curl.ts'

const FLOW = 'backend'
const TRAIL = 'release-1.0.0'
export const ENVIRONMENT = 'production'
const FILE = 'backend.txt'
/** The digest of the file that the first command writes. */
const FINGERPRINT = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
export const CHECK = 'smoke-test'
const BUILD_URL = 'https://ci.example.com/builds/1'
const COMMIT = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const COMMIT_URL = `https://git.example.com/backend/commit/${COMMIT}`

export type StepName = 'flow' | 'artifact' | 'attestation' | 'environment' | 'snapshot'

export const STEPS: readonly StepName[] = ['flow', 'artifact', 'attestation', 'environment', 'snapshot']

/** Keeps the key out of the shell history. */
export const READ_KEY = 'read -rs API_KEY && export API_KEY WAYBILL_API_TOKEN="$API_KEY"'

const WRITE_FILE = `echo foo > ${FILE}`
/** The evidence is real: the check runs before it is reported. */
const CHECK_FILE = `test -s ${FILE}`

export function buildWaybillSteps(org: string): Record<StepName, string> {
  const where = ['--flow', FLOW, '--trail', TRAIL]
  const artifact = ['--name', FLOW, ...where, '--build-url', BUILD_URL, '--commit-url', COMMIT_URL]
  return {
    flow: buildWaybill(['create', 'flow', FLOW, '--use-empty-template'], org),
    artifact: `${WRITE_FILE}\n${buildWaybill(['begin', 'trail', TRAIL, '--flow', FLOW], org)} &&\n${buildWaybill(['attest', 'artifact', FILE, ...artifact], org)}`,
    attestation: `${CHECK_FILE} &&\n${buildWaybill(['attest', 'generic', FILE, '--name', CHECK, ...where], org)}`,
    environment: buildWaybill(['create', 'environment', ENVIRONMENT, '--type', 'server'], org),
    snapshot: buildWaybill(['snapshot', 'path', ENVIRONMENT, '--name', FLOW, '--path', FILE], org),
  }
}

export function buildCurlSteps(org: string): Record<StepName, string> {
  return {
    flow: buildCurl('PUT', buildApiPath('flows', org), { name: FLOW, description: 'Builds the backend' }),
    artifact: `${WRITE_FILE}\n${buildCurl('POST', buildApiPath('artifacts', org, FLOW), {
      fingerprint: FINGERPRINT,
      filename: FILE,
      trail_name: TRAIL,
      template_reference_name: FLOW,
      git_commit: COMMIT,
      build_url: BUILD_URL,
      commit_url: COMMIT_URL,
    })}`,
    attestation: `${CHECK_FILE} &&\n${buildCurl(
      'POST',
      buildApiPath('attestations', org, FLOW, 'trail', TRAIL, 'generic'),
      {
        attestation_name: CHECK,
        artifact_fingerprint: FINGERPRINT,
        is_compliant: true,
      },
    )}`,
    environment: buildCurl('PUT', buildApiPath('environments', org), { name: ENVIRONMENT, type: 'server' }),
    snapshot: buildCurl('PUT', buildApiPath('environments', org, ENVIRONMENT, 'report', 'server'), {
      artifacts: [{ digests: { [FLOW]: FINGERPRINT }, creationTimestamp: Math.floor(readServerSeconds()) }],
    }),
  }
}

export interface PipelineFile {
  path: string
  content: string
}

const TEMPLATE = { path: 'waybill-template.yml', content: template }

export const buildGitHubFiles = (org: string): PipelineFile[] => [
  { path: '.github/workflows/build.yml', content: fillIn(gitHubWorkflow, org) },
  { path: '.github/actions/waybill/action.yml', content: fillIn(gitHubAction, org) },
  { ...TEMPLATE, content: fillIn(template, org) },
]

export const buildGitLabFiles = (org: string): PipelineFile[] => [
  { path: '.gitlab-ci.yml', content: fillIn(gitLabPipeline, org) },
  { path: 'templates/waybill.yml', content: fillIn(gitLabComponent, org) },
  { ...TEMPLATE, content: fillIn(template, org) },
]

/** Run once, by a member: a job's key cannot change its requirements. */
export const buildPipelineSetup = (org: string): string =>
  [
    buildWaybill(['create', 'flow', 'app', '--template-file', TEMPLATE.path], org),
    buildWaybill(['create', 'environment', ENVIRONMENT, '--type', 'server'], org),
  ].join('\n')

/** The generated files contain an example name; its first line explains their origin. */
const fillIn = (text: string, org: string) =>
  text
    .replace(/^# .*\n/, '')
    .replaceAll('https://waybill.example.com', window.location.origin + BASE_PATH)
    .replaceAll(/\borg: acme$/gm, `org: ${JSON.stringify(org)}`)
