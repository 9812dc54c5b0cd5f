// Fills the organization of a new service through the API, with requests that every kept version understands: one
// record of each kind in an organization. Attestation payloads are the examples in the version's own OpenAPI
// document.
import { ORG } from '../../run/service.mjs'

const TEMPLATE = `version: 1
trail:
  attestations:
    - {name: work-item, type: jira}
  artifacts:
    - name: backend
      attestations:
        - {name: unit-tests, type: junit}
`
const POLICY = `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
    - {name: unit-tests, type: junit}
`
const COMMIT = '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'
export const FIRST = 'a'.repeat(64)
const [SECOND, FOREIGN] = ['b', 'c'].map(digit => digit.repeat(64))
const TRAIL = `/attestations/${ORG}/backend-ci/trail/build-1`
const STARTED_AT = 1_772_539_200

/** `call` sends a request and returns the body of its response; `openapi` is the version's document. */
export async function fill(call, openapi) {
  await fillFlows(call)
  await fillAttestations(call, openapi)
  await fillPeople(call)
  await fillEnvironments(call)
  await fillNotifications(call)
}

async function fillFlows(call) {
  await call('PUT', `/flows/${ORG}/template_file`, {
    data_json: { name: 'backend', description: 'Builds of the backend' },
    template_file: TEMPLATE,
  })
  await call('PUT', `/flows/${ORG}/backend/rename`, { new_name: 'backend-ci' })
  await call('PUT', `/flows/${ORG}`, { name: 'old', description: '' })
  await call('PUT', `/flows/${ORG}/old/archive`)
  await call('PATCH', `/tags/${ORG}/flow/backend-ci`, { set_tags: { risk: 'high' }, remove_tags: [] })
  const repo_info = { id: '311', name: 'acme/backend', url: 'https://git.example.com/b', provider: 'github' }
  await call('PUT', `/trails/${ORG}/backend-ci`, { name: 'build-1', repo_info, user_data: { run: 7 } })
  await call('PUT', `/trails/${ORG}/backend-ci`, { name: 'build-2' })
  for (const [fingerprint, trail_name] of [
    [FIRST, 'build-1'],
    [SECOND, 'build-2'],
  ]) {
    await call('POST', `/artifacts/${ORG}/backend-ci`, {
      ...{ fingerprint, trail_name, template_reference_name: 'backend', filename: 'backend:1' },
      ...{
        git_commit: COMMIT,
        build_url: 'https://ci.example.com/1',
        commit_url: 'https://git.example.com/1',
      },
    })
  }
}

async function fillAttestations(call, { paths }) {
  await call('POST', `/controls/${ORG}`, { identifier: 'CTRL-7', name: 'Four eyes', description: '' })
  const put = { name: 'Four eyes', description: 'Nobody merges alone', links: {} }
  await call('PUT', `/controls/${ORG}/CTRL-7`, put)
  const rules = { content_type: 'jq', rules: ['.line_coverage >= 80'] }
  await call('POST', `/custom-attestation-types/${ORG}`, { name: 'coverage-metrics', evaluator: rules })
  const prefix = '/attestations/{org}/{flow_name}/trail/{trail_name}/'
  const types = Object.keys(paths).filter(path => path.startsWith(prefix) && paths[path].post)
  for (const type of types.map(path => path.slice(prefix.length))) {
    const { example } = paths[prefix + type].post.requestBody.content['application/json']
    await call('POST', `${TRAIL}/${type}`, example)
  }
  const { example: tests } = paths[`${prefix}junit`].post.requestBody.content['application/json']
  await call('POST', `${TRAIL}/junit`, { ...tests, artifact_fingerprint: FIRST })
  await call('POST', `${TRAIL}/generic`, {
    data_json: { attestation_name: 'notes', artifact_fingerprint: FIRST, is_compliant: false },
    attachment_file: 'What was tried before the release',
  })
  const approval = { artifact_fingerprint: FIRST, description: '', src_commit_list: [], approvals: [] }
  await call('POST', `/approvals/${ORG}/backend-ci`, approval)
}

async function fillPeople(call) {
  await call('POST', `/service-accounts/${ORG}`, { name: 'pipeline', privilege: 'member' })
  await call('POST', `/service-accounts/${ORG}/pipeline/api-keys`, { description: 'build server' })
  await call('POST', '/user/api-keys', { description: 'laptop' })
  await call('POST', `/invitations/${ORG}`, { email: 'ines@example.com', role: 'reader' })
  const claims = { repository_id: '74', ref: 'refs/heads/main' }
  const issuer = 'https://token.actions.githubusercontent.com'
  const rule = { name: 'backend-main', description: '', issuer, claims, privilege: 'member' }
  await call('POST', `/trust-rules/${ORG}`, rule)
  await call('POST', `/scim-tokens/${ORG}`, { description: 'Company directory' })
}

async function fillEnvironments(call) {
  const report = (...fingerprints) => ({
    artifacts: fingerprints.map((fingerprint, i) => ({
      digests: { [`backend:${i}`]: fingerprint },
      ...{ creationTimestamp: STARTED_AT, podName: `pod-${i}`, namespace: 'default', owners: null },
    })),
  })
  await call('PUT', `/environments/${ORG}`, { name: 'production', type: 'K8S', description: 'Customers' })
  await call('PUT', `/environments/${ORG}/production/report/K8S`, report(FIRST))
  await call('PUT', `/policies/${ORG}`, { name: 'tested', type: 'env', policy_yaml: POLICY })
  await call('PUT', `/policies/${ORG}/tested`, { policy_yaml: POLICY, comment: 'Second version' })
  await call('POST', `/environments/${ORG}/production/policies`, { policy_names: ['tested'] })
  await call('PUT', `/environments/${ORG}/production/report/K8S`, report(FIRST, SECOND, FOREIGN))
  const entry = { artifact_fingerprint: FOREIGN, artifact_name: 'postgres:17', description: 'reviewed' }
  await call('PUT', `/allowlists/${ORG}/production`, entry)
  await call('PUT', `/environments/${ORG}/production/report/K8S`, report(FIRST, FOREIGN))
  await call('PUT', `/environments/${ORG}`, { name: 'hosts', type: 'server' })
  const paths = { artifacts: [{ digests: { backend: SECOND }, creationTimestamp: STARTED_AT }] }
  await call('PUT', `/environments/${ORG}/hosts/report/server`, paths)
  await call('PUT', `/environments/${ORG}`, { name: 'everything', type: 'logical' })
  await call('PUT', `/environments/${ORG}/everything/join`, { physical_env_name: 'production' })
}

async function fillNotifications(call) {
  const targets = [
    { type: 'WEBHOOK', webhook: 'https://hooks.example.com/waybill' },
    { type: 'EMAIL', emails: ['ops@example.com'] },
  ]
  const about = { name: 'production', environments: ['production'], triggers: ['ON_NON_COMPLIANT_ENV'] }
  await call('PUT', `/organizations/${ORG}/environments_notifications`, { ...about, targets })
  const of_flow = { name: 'evidence', flows: ['backend-ci'], triggers: ['ON_ATTESTATION'], targets }
  await call('PUT', `/organizations/${ORG}/flows_notifications`, of_flow)
  await call('PUT', `/notification-config/${ORG}/api_key_expiry`, { targets })
}
