// The fields of an attestation's payload that decide its verdict, by built-in type. Keys are spelled as they are
// sent, so that a validated body can be evaluated as is. Custom types are evaluated by their own rules.

export interface JunitSuite {
  name?: string
  failures: number
  errors: number
}

/** One run of a vulnerability scan: the number of findings per severity and, optionally, the findings themselves. */
export interface SnykRun {
  high_count: number
  medium_count: number
  low_count: number
  high?: readonly unknown[] | null
  medium?: readonly unknown[] | null
  low?: readonly unknown[] | null
}

export interface JiraIssue {
  issue_id: string
  issue_exists: boolean
}

export type AttestationPayload =
  | { type: 'generic'; is_compliant: boolean }
  | { type: 'junit'; junit_results: readonly JunitSuite[] }
  | { type: 'snyk'; snyk_results: { results: readonly SnykRun[] } }
  | { type: 'jira'; jira_results: readonly JiraIssue[] }
  | { type: 'sonar'; sonar_results: { qualityGate?: { status: string } | null } }
  | { type: 'pull_request'; pull_requests: readonly unknown[] }
  | { type: 'decision'; attestation_data: { is_compliant: boolean } }
  | { type: 'sbom'; attestation_data: { format: string } }
  | { type: 'override'; new_compliance_status: boolean }

export interface AttestationVerdict {
  is_compliant: boolean
  expected: string
  found: string
}
