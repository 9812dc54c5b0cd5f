// The hostile data of one release: its flow, trail, artifact and repository, and attestations of every type.
import { type Call, long, NO_ADDRESSES, only, PAYLOADS, short } from './hostile.ts'

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
  message: long(`${of}:commit-message`),
  author: long(`${of}:commit-author`),
  author_username: long(`${of}:commit-author-username`),
  branch: long(`${of}:commit-branch`),
  signature_state: long(`${of}:commit-signature`),
  signer_username: long(`${of}:commit-signer`),
  url: ADDRESS,
  timestamp: WHEN,
})

export const REPO_INFO = {
  id: short('repo:id'),
  name: 'hostile/<script>alert(17)<&script>?x=#1%41',
  // The URL of a repository need not be http, so this is accepted; it must stay text.
  url: 'git@hostile.example:"><script>alert(18)</script>',
  description: long('repo:description'),
  namespace_path: [long('repo:namespace')],
  additional_info: { note: long('repo:additional') },
}

const linksOf = (of: string) => ({
  external_urls: { [only(`${of}:link-label`, '<script>alert(18)</script>')]: { href: ADDRESS } },
  user_data: { note: long(`${of}:user-data`), [long(`${of}:user-data-key`)]: NO_ADDRESSES },
})

const FLOWS: Call[] = [
  { method: 'PATCH', path: `organizations/${ORG}`, body: makeOrgBody() },
  {
    method: 'PUT',
    path: `flows/${ORG}/template_file`,
    body: { name: FLOW, description: long('flow:description'), visibility: 'private' },
    form: {
      body_part: 'data_json',
      file_part: 'template_file',
      name: 'template.yml',
      content: `# ${long('template:comment')}\nversion: 1\ntrail:\n  attestations:\n  - name: review\n    type: generic\n  artifacts:\n  - name: image\n    attestations:\n    - name: tests\n      type: junit\n`,
    },
  },
  {
    method: 'PUT',
    path: `trails/${ORG}/${FLOW}`,
    body: {
      name: TRAIL,
      description: long('trail:description'),
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
      filename: long('artifact:name'),
      git_commit: COMMIT,
      git_commit_info: commitInfo('artifact'),
      repo_info: REPO_INFO,
      build_url: ADDRESS,
      commit_url: ADDRESS,
      trail_name: TRAIL,
      template_reference_name: 'image',
      description: long('artifact:description'),
      annotations: { note: long('artifact:annotation') },
      ...linksOf('artifact'),
    },
  },
]

function makeOrgBody() {
  return { description: long('organization:description'), features: { controls: true } }
}

const CONTROLS: Call[] = [
  {
    method: 'POST',
    path: `controls/${ORG}`,
    body: {
      identifier: 'HOSTILE-1',
      name: short('control:name'),
      description: long('control:description'),
      links: { [short('control:link-label', 100)]: ADDRESS },
    },
  },
  { method: 'PUT', path: `controls/${ORG}/HOSTILE-1`, body: { name: short('control:second-name') } },
  {
    method: 'POST',
    path: `custom-attestation-types/${ORG}`,
    body: {
      name: 'hostile-type',
      description: long('type:description'),
      evaluator: {
        content_type: 'jq',
        rules: [`.note != ${JSON.stringify(long('type:rule'))}`, '.note == "no"'],
      },
      summary: [{ name: short('type:summary-name'), expression: '.note' }],
      type_schema: {
        type: 'object',
        description: long('type:schema'),
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
      description: long(`${type}:description`),
      annotations: { note: long(`${type}:annotation`) },
      git_commit_info: commitInfo(type),
      origin_url: ADDRESS,
      ...linksOf(type),
      ...body,
    },
  }
}

const makePullRequest = () => ({
  url: ADDRESS,
  state: short('pull_request:state'),
  title: long('pull_request:title'),
  author: long('pull_request:author'),
  head_ref: long('pull_request:head'),
  base_ref: long('pull_request:base'),
  approvers: [long('pull_request:approver')],
  reviews: [{ username: long('pull_request:reviewer'), state: short('pull_request:review-state') }],
  commits: [
    {
      sha1: COMMIT,
      message: long('pull_request:message'),
      author: long('pull_request:commit-author'),
      branch: long('pull_request:branch'),
    },
  ],
})

const ATTESTATIONS: Call[] = [
  {
    ...attested('generic', { is_compliant: false }, 'review'),
    form: {
      body_part: 'data_json',
      file_part: 'attachment_file',
      name: only('evidence:file-name', PAYLOADS[2]),
      content: PAYLOADS[1],
    },
  },
  attested('junit', {
    attestation_name: 'tests',
    junit_results: [
      {
        name: long('junit:suite'),
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
      tool: { name: long('snyk:tool'), version: long('snyk:version') },
      results: [
        {
          high_count: 1,
          medium_count: 0,
          low_count: 0,
          high: [{ id: long('snyk:id'), message: long('snyk:message'), locations: [{ uri: ADDRESS }] }],
        },
      ],
    },
  }),
  attested('sonar', {
    sonar_results: {
      serverUrl: ADDRESS,
      project: { name: long('sonar:project'), key: long('sonar:key'), url: ADDRESS },
      branch: { name: long('sonar:branch') },
      status: long('sonar:status'),
      qualityGate: {
        status: 'ERROR',
        conditions: [{ metric: long('sonar:metric'), status: 'ERROR', operator: long('sonar:operator') }],
      },
    },
  }),
  attested('jira', {
    jira_results: [
      {
        issue_id: short('jira:issue'),
        issue_url: ADDRESS,
        issue_exists: false,
        issue_fields: { summary: long('jira:summary') },
      },
    ],
  }),
  attested('pull_request', {
    git_provider: short('pull_request:provider'),
    pull_requests: [makePullRequest()],
  }),
  attested('custom', {
    type_name: 'hostile-type',
    attestation_data: { note: long('custom:data') },
  }),
  attested('system', {
    attestation_name: 'decided',
    type_name: 'decision',
    control: 'HOSTILE-1',
    attestation_data: { is_compliant: false, reason: long('decision:data'), [long('decision:key')]: 1 },
  }),
  attested('override', {
    attestation_name: 'tests',
    reason: long('override:reason'),
    new_compliance_status: true,
    original_attestation_type: 'junit',
  }),
  {
    method: 'POST',
    path: `approvals/${ORG}/${FLOW}`,
    body: {
      artifact_fingerprint: FINGERPRINT,
      description: long('approval:description'),
      src_commit_list: [COMMIT],
      approvals: [
        {
          state: 'REJECTED',
          comment: long('approval:comment'),
          approved_by: short('approval:by'),
          approval_url: ADDRESS,
        },
      ],
    },
  },
]

export const EVIDENCE: readonly Call[] = [...FLOWS, ...CONTROLS, ...ATTESTATIONS]
