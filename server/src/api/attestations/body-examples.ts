// An example body for each kind of attestation: shown in the OpenAPI document, sent by the tests.
import type {
  CustomBody,
  GenericBody,
  JiraBody,
  JunitBody,
  OverrideBody,
  PullRequestBody,
  SnykBody,
  SonarBody,
  SystemBody,
} from './bodies.ts'

const SHA1 = '6a3f1d0e2b9c4875a1e0d9c8b7a6f5e4d3c2b1a0'

const COMMIT = {
  sha1: SHA1,
  message: 'Check the address before the order is sent',
  author: 'Mira Novak <mira@acme.example>',
  branch: 'main',
  timestamp: 1_772_530_000,
  url: `https://git.acme.example/acme/backend/commit/${SHA1}`,
}

const SHARED = {
  git_commit_info: COMMIT,
  origin_url: 'https://ci.acme.example/builds/42',
  user_data: {},
}

export const GENERIC_EXAMPLE: GenericBody = {
  ...SHARED,
  attestation_name: 'peer-review',
  description: 'Two people reviewed the change',
  annotations: { reviewers: 'mira, tom' },
  is_compliant: true,
}

export const JUNIT_EXAMPLE: JunitBody = {
  ...SHARED,
  attestation_name: 'unit-tests',
  junit_results: [
    {
      name: 'orders',
      failures: 0,
      errors: 0,
      skipped: 1,
      total: 128,
      duration: 14.25,
      timestamp: 1_772_530_412.5,
    },
    { name: 'billing', failures: 0, errors: 0, skipped: 0, total: 64, duration: 3.5 },
  ],
}

export const SNYK_EXAMPLE: SnykBody = {
  ...SHARED,
  attestation_name: 'vulnerability-scan',
  snyk_results: {
    schema_version: 1,
    tool: { name: 'Snyk Open Source', version: '1.1300.0' },
    results: [
      {
        high_count: 0,
        medium_count: 1,
        low_count: 0,
        medium: [
          {
            id: 'SNYK-JS-EXAMPLE-1234567',
            message: 'Regular expression denial of service',
            locations: [{ uri: 'package-lock.json' }],
          },
        ],
      },
    ],
  },
}

export const JIRA_EXAMPLE: JiraBody = {
  ...SHARED,
  attestation_name: 'work-item',
  jira_results: [
    {
      issue_id: 'SHOP-311',
      issue_url: 'https://issues.acme.example/browse/SHOP-311',
      issue_exists: true,
      issue_fields: { summary: 'Check the address', status: { name: 'In review' } },
    },
  ],
}

export const SONAR_EXAMPLE: SonarBody = {
  ...SHARED,
  attestation_name: 'static-analysis',
  sonar_results: {
    serverUrl: 'https://sonar.acme.example',
    taskId: 'AZcB3kq1',
    status: 'SUCCESS',
    analysedAt: '2026-03-03T10:15:30+0000',
    revision: SHA1,
    project: { key: 'backend', name: 'Backend', url: 'https://sonar.acme.example/dashboard?id=backend' },
    branch: { name: 'main', type: 'LONG' },
    qualityGate: {
      status: 'OK',
      conditions: [
        {
          metric: 'new_coverage',
          errorThreshold: '80',
          operator: 'LESS_THAN',
          value: '91.2',
          status: 'OK',
        },
      ],
    },
  },
}

export const PULL_REQUEST_EXAMPLE: PullRequestBody = {
  ...SHARED,
  attestation_name: 'pull-request',
  git_provider: 'github',
  pull_requests: [
    {
      url: 'https://git.acme.example/acme/backend/pull/311',
      state: 'MERGED',
      merge_commit: SHA1,
      approvers: [{ username: 'tom', state: 'APPROVED', timestamp: 1_772_529_700 }],
      author: 'mira',
      title: 'Check the address before the order is sent',
      head_ref: 'check-address',
      base_ref: 'main',
      created_at: 1_772_520_000,
      merged_at: 1_772_530_000,
      commits: [{ ...COMMIT, branch: 'check-address', author_username: 'mira', verified: true }],
    },
  ],
}

export const CUSTOM_EXAMPLE: CustomBody = {
  ...SHARED,
  attestation_name: 'coverage',
  type_name: 'coverage-metrics',
  attestation_data: { line_coverage: 91.2, branch_coverage: 84 },
}

export const SYSTEM_EXAMPLE = {
  ...SHARED,
  attestation_name: 'four-eyes',
  type_name: 'decision',
  control: 'CTRL-7',
  attestation_data: { is_compliant: true, evaluated_by: 'release-gate', approvals: 2 },
} satisfies SystemBody

const SBOM_SHA256 = '3f786850e387550fdab836ed7e6dc881de23001b6c0f3b4a5d6e7f8091a2b3c4'

export const SBOM_EXAMPLE = {
  ...SHARED,
  attestation_name: 'sbom',
  type_name: 'sbom',
  attestation_data: {
    format: 'cyclonedx-1.6',
    original_fingerprint: SBOM_SHA256,
    document: {
      created_at: '2026-03-03T09:00:00Z',
      tools: ['cdxgen 12.8.4'],
      subject: { name: 'backend', version: '1.4.0', purl: 'pkg:oci/backend@1.4.0' },
      package_count: 311,
    },
  },
  annotations: { sbom_format: 'cyclonedx-1.6', sbom_sha256: SBOM_SHA256 },
} satisfies SystemBody

export const OVERRIDE_EXAMPLE: OverrideBody = {
  ...SHARED,
  attestation_name: 'vulnerability-scan',
  reason: 'The finding is in a tool that we do not ship',
  new_compliance_status: true,
  original_attestation_type: 'snyk',
}
