// The hostile data of one release: its flow, trail, artifact and repository, and attestations of every type.
import { type Call, NO_ADDRESSES, PAYLOADS, writeLong, writeOnly, writeShort } from './hostile.ts'

export const ORG = 'demo-org'
export const FLOW = 'hostile'
export const TRAIL = 'first'
export const FINGERPRINT = 'ab'.repeat(32)
export const COMMIT = 'cd'.repeat(20)
export const WHEN = 1_772_530_000
/** The most hostile URL that is still valid. */
export const ADDRESS =
  'https://hostile.example/%22%3E%3Cscript%3Ealert(16)%3C/script%3E?q=javascript:alert(16)'

const commitInfo = (of: string) => ({
  sha1: COMMIT,
  message: writeLong(`${of}:commit-message`),
  author: writeLong(`${of}:commit-author`),
  author_username: writeLong(`${of}:commit-author-username`),
  branch: writeLong(`${of}:commit-branch`),
  signature_state: writeLong(`${of}:commit-signature`),
  signer_username: writeLong(`${of}:commit-signer`),
  url: ADDRESS,
  timestamp: WHEN,
})

export const REPO_INFO = {
  id: writeShort('repo:id'),
  name: 'hostile/<script>alert(17)<&script>?x=#1%41',
  // The URL of a repository need not be http, so this is accepted; it must stay text.
  url: 'git@hostile.example:"><script>alert(18)</script>',
  description: writeLong('repo:description'),
  namespace_path: [writeLong('repo:namespace')],
  additional_info: { note: writeLong('repo:additional') },
}

const linksOf = (of: string) => ({
  external_urls: { [writeOnly(`${of}:link-label`, '<script>alert(18)</script>')]: { href: ADDRESS } },
  user_data: { note: writeLong(`${of}:user-data`), [writeLong(`${of}:user-data-key`)]: NO_ADDRESSES },
})

const FLOWS: Call[] = [
  { method: 'PATCH', path: `organizations/${ORG}`, body: makeOrgBody() },
  {
    method: 'PUT',
    path: `flows/${ORG}/template_file`,
    body: { name: FLOW, description: writeLong('flow:description'), visibility: 'private' },
    form: {
      body_part: 'data_json',
      file_part: 'template_file',
      name: 'template.yml',
      content: `# ${writeLong('template:comment')}\nversion: 1\ntrail:\n  attestations:\n  - name: review\n    type: generic\n  artifacts:\n  - name: image\n    attestations:\n    - name: tests\n      type: junit\n`,
    },
  },
  {
    method: 'PUT',
    path: `trails/${ORG}/${FLOW}`,
    body: {
      name: TRAIL,
      description: writeLong('trail:description'),
      git_commit_info: commitInfo('trail'),
      repo_info: REPO_INFO,
      origin_url: ADDRESS,
      ...linksOf('trail'),
    },
  },
  {
    method: 'POST',
    path: `artifacts/${ORG}/${FLOW}`,
    body: {
      fingerprint: FINGERPRINT,
      filename: writeLong('artifact:name'),
      git_commit: COMMIT,
      git_commit_info: commitInfo('artifact'),
      repo_info: REPO_INFO,
      build_url: ADDRESS,
      commit_url: ADDRESS,
      trail_name: TRAIL,
      template_reference_name: 'image',
      description: writeLong('artifact:description'),
      annotations: { note: writeLong('artifact:annotation') },
      ...linksOf('artifact'),
    },
  },
]

function makeOrgBody() {
  return { description: writeLong('organization:description'), features: { controls: true } }
}

const CONTROLS: Call[] = [
  {
    method: 'POST',
    path: `controls/${ORG}`,
    body: {
      identifier: 'HOSTILE-1',
      name: writeShort('control:name'),
      description: writeLong('control:description'),
      links: { [writeShort('control:link-label', 100)]: ADDRESS },
    },
  },
  { method: 'PUT', path: `controls/${ORG}/HOSTILE-1`, body: { name: writeShort('control:second-name') } },
  {
    method: 'POST',
    path: `custom-attestation-types/${ORG}`,
    body: {
      name: 'hostile-type',
      description: writeLong('type:description'),
      evaluator: {
        content_type: 'jq',
        rules: [`.note != ${JSON.stringify(writeLong('type:rule'))}`, '.note == "no"'],
      },
      summary: [{ name: writeShort('type:summary-name'), expression: '.note' }],
      type_schema: {
        type: 'object',
        description: writeLong('type:schema'),
        properties: { note: { type: 'string' } },
      },
    },
  },
]

/** An attestation with every field that all types share. */
function attested(type: string, body: Record<string, unknown>, name = type.replace('_', '-')): Call {
  return {
    method: 'POST',
    path: `attestations/${ORG}/${FLOW}/trail/${TRAIL}/${type}`,
    body: {
      attestation_name: name,
      artifact_fingerprint: FINGERPRINT,
      description: writeLong(`${type}:description`),
      annotations: { note: writeLong(`${type}:annotation`) },
      git_commit_info: commitInfo(type),
      origin_url: ADDRESS,
      ...linksOf(type),
      ...body,
    },
  }
}

const makePullRequest = () => ({
  url: ADDRESS,
  state: writeShort('pull_request:state'),
  title: writeLong('pull_request:title'),
  author: writeLong('pull_request:author'),
  head_ref: writeLong('pull_request:head'),
  base_ref: writeLong('pull_request:base'),
  approvers: [writeLong('pull_request:approver')],
  reviews: [{ username: writeLong('pull_request:reviewer'), state: writeShort('pull_request:review-state') }],
  commits: [
    {
      sha1: COMMIT,
      message: writeLong('pull_request:message'),
      author: writeLong('pull_request:commit-author'),
      branch: writeLong('pull_request:branch'),
    },
  ],
})

const ATTESTATIONS: Call[] = [
  {
    ...attested('generic', { is_compliant: false }, 'review'),
    form: {
      body_part: 'data_json',
      file_part: 'attachment_file',
      name: writeOnly('evidence:file-name', PAYLOADS[2]),
      content: PAYLOADS[1],
    },
  },
  attested('junit', {
    attestation_name: 'tests',
    junit_results: [
      {
        name: writeLong('junit:suite'),
        failures: 1,
        errors: 0,
        skipped: 0,
        total: 2,
        duration: 1,
        timestamp: WHEN,
      },
    ],
  }),
  attested('snyk', {
    snyk_results: {
      schema_version: 1,
      tool: { name: writeLong('snyk:tool'), version: writeLong('snyk:version') },
      results: [
        {
          high_count: 1,
          medium_count: 0,
          low_count: 0,
          high: [
            { id: writeLong('snyk:id'), message: writeLong('snyk:message'), locations: [{ uri: ADDRESS }] },
          ],
        },
      ],
    },
  }),
  attested('sonar', {
    sonar_results: {
      serverUrl: ADDRESS,
      project: { name: writeLong('sonar:project'), key: writeLong('sonar:key'), url: ADDRESS },
      branch: { name: writeLong('sonar:branch') },
      status: writeLong('sonar:status'),
      qualityGate: {
        status: 'ERROR',
        conditions: [
          { metric: writeLong('sonar:metric'), status: 'ERROR', operator: writeLong('sonar:operator') },
        ],
      },
    },
  }),
  attested('jira', {
    jira_results: [
      {
        issue_id: writeShort('jira:issue'),
        issue_url: ADDRESS,
        issue_exists: false,
        issue_fields: { summary: writeLong('jira:summary') },
      },
    ],
  }),
  attested('pull_request', {
    git_provider: writeShort('pull_request:provider'),
    pull_requests: [makePullRequest()],
  }),
  attested('custom', {
    type_name: 'hostile-type',
    attestation_data: { note: writeLong('custom:data') },
  }),
  attested('system', {
    attestation_name: 'decided',
    type_name: 'decision',
    control: 'HOSTILE-1',
    attestation_data: {
      is_compliant: false,
      reason: writeLong('decision:data'),
      [writeLong('decision:key')]: 1,
    },
  }),
  attested('override', {
    attestation_name: 'tests',
    reason: writeLong('override:reason'),
    new_compliance_status: true,
    original_attestation_type: 'junit',
  }),
  {
    method: 'POST',
    path: `approvals/${ORG}/${FLOW}`,
    body: {
      artifact_fingerprint: FINGERPRINT,
      description: writeLong('approval:description'),
      src_commit_list: [COMMIT],
      approvals: [
        {
          state: 'REJECTED',
          comment: writeLong('approval:comment'),
          approved_by: writeShort('approval:by'),
          approval_url: ADDRESS,
        },
      ],
    },
  },
]

export const EVIDENCE: readonly Call[] = [...FLOWS, ...CONTROLS, ...ATTESTATIONS]
