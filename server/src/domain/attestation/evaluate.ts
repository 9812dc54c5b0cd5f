// Decides whether an attestation of a built-in type is compliant, and on what grounds. The state and the approvals of
// a pull request are not evaluated here; that is what decisions are for.
import type { AttestationPayload, AttestationVerdict, JiraIssue, JunitSuite, SnykRun } from './payload.ts'

const QUALITY_GATE_PASSED = 'OK'
const MAX_NAMES = 10

export type { AttestationPayload, AttestationVerdict } from './payload.ts'

export function evaluateAttestation(payload: AttestationPayload): AttestationVerdict {
  switch (payload.type) {
    case 'generic':
      return buildDeclaredVerdict('is_compliant', payload.is_compliant)
    case 'junit':
      return evaluateSuites(payload.junit_results)
    case 'snyk':
      return evaluateFindings(payload.snyk_results.results)
    case 'jira':
      return evaluateIssues(payload.jira_results)
    case 'sonar':
      return evaluateQualityGate(payload.sonar_results.qualityGate?.status)
    case 'pull_request':
      return evaluatePullRequests(payload.pull_requests.length)
    case 'decision':
      return buildDeclaredVerdict('is_compliant', payload.attestation_data.is_compliant)
    case 'sbom':
      return buildSbomVerdict(payload.attestation_data.format)
    case 'override':
      return buildDeclaredVerdict('new_compliance_status', payload.new_compliance_status)
  }
}

function buildDeclaredVerdict(key: string, is_compliant: boolean): AttestationVerdict {
  return { is_compliant, expected: `${key}: true`, found: `${key}: ${is_compliant}` }
}

/** The content is not evaluated: the existence of an SBOM is the evidence. */
function buildSbomVerdict(format: string): AttestationVerdict {
  return { is_compliant: true, expected: 'an SBOM', found: `an SBOM in the format ${format}` }
}

function evaluateSuites(suites: readonly JunitSuite[]): AttestationVerdict {
  const failures = sum(suites.map(suite => suite.failures))
  const errors = sum(suites.map(suite => suite.errors))
  const bad = suites.filter(suite => suite.failures > 0 || suite.errors > 0)
  const totals = `${formatCount(failures, 'failure')} and ${formatCount(errors, 'error')}`
  return {
    is_compliant: suites.length > 0 && bad.length === 0,
    expected: 'at least one test suite, without failures and errors',
    found:
      suites.length === 0
        ? 'no test suite'
        : `${totals} in ${formatCount(suites.length, 'test suite')}${formatNames(bad.map(suite => suite.name ?? ''))}`,
  }
}

function evaluateFindings(runs: readonly SnykRun[]): AttestationVerdict {
  const high = sum(runs.map(run => countFindings(run.high_count, run.high)))
  const medium = sum(runs.map(run => countFindings(run.medium_count, run.medium)))
  const low = sum(runs.map(run => countFindings(run.low_count, run.low)))
  return {
    is_compliant: high + medium + low === 0,
    expected: 'no vulnerability of any severity',
    found:
      high + medium + low === 0
        ? 'no vulnerability'
        : `vulnerabilities: ${high} high, ${medium} medium, ${low} low`,
  }
}

/** A listed finding counts even if the sender's own count leaves it out. */
function countFindings(count: number, listed: readonly unknown[] | null | undefined): number {
  return Math.max(count, listed?.length ?? 0)
}

function evaluateIssues(issues: readonly JiraIssue[]): AttestationVerdict {
  const missing = issues.filter(issue => !issue.issue_exists)
  return {
    is_compliant: issues.length > 0 && missing.length === 0,
    expected: 'at least one issue, and all of them exist',
    found:
      issues.length === 0
        ? 'no issue'
        : missing.length === 0
          ? `${formatCount(issues.length, 'issue')}, all exist`
          : `${missing.length} of ${formatCount(issues.length, 'issue')} not found${formatNames(missing.map(issue => issue.issue_id))}`,
  }
}

function evaluateQualityGate(status: string | undefined): AttestationVerdict {
  return {
    is_compliant: status === QUALITY_GATE_PASSED,
    expected: `quality gate ${QUALITY_GATE_PASSED}`,
    found: status === undefined ? 'no quality gate' : `quality gate ${status}`,
  }
}

function evaluatePullRequests(count: number): AttestationVerdict {
  return {
    is_compliant: count > 0,
    expected: 'at least one pull request',
    found: count === 0 ? 'no pull request' : formatCount(count, 'pull request'),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Lists only the first few names, to keep the sentence short. */
function formatNames(names: readonly string[]): string {
  const known = names.filter(name => name !== '')
  if (known.length === 0) return ''
  return `: ${known.slice(0, MAX_NAMES).join(', ')}${known.length > MAX_NAMES ? ', …' : ''}`
}
