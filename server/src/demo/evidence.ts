// The attestations of one release: those from its pipeline, and those that only a person can make.
import type { Call } from './call.ts'
import { ENGINEERS, MAX_P95_MS, PEOPLE, toMailAddress } from './company.ts'
import type { Release } from './release.ts'

interface TimedAttestation {
  minutes: number
  type: string
  body: { attestation_name: string }
  /** Defaults to the pipeline. */
  by?: string
  file?: NonNullable<Call['file']>
}

type Commit = Record<string, unknown>

/** All but the decision come before minute 30, when the release is deployed to staging. */
export function buildAttestations(release: Release, commit: Commit): TimedAttestation[] {
  const { service, excused } = release
  const all: TimedAttestation[] = [
    { minutes: 1, type: 'jira', body: buildTicket(release, commit) },
    { minutes: 5, type: 'pull_request', body: buildReview(release, commit) },
    { minutes: 7, type: 'junit', body: buildTests(release, commit) },
    { minutes: 9, type: 'snyk', body: buildScan(release, commit) },
    { minutes: 60, type: 'system', body: buildDecision(release, commit) },
  ]
  if (service.name === 'statement-mailer')
    all.push({ minutes: 10, type: 'sonar', body: buildAnalysis(release, commit) })
  if (service.name === 'fraud-scoring')
    all.push({ minutes: 20, type: 'custom', body: buildLoadTestResult(release, commit) })
  if (excused !== undefined)
    all.push({ minutes: 25, by: 'mara', type: 'override', body: buildOverride(release) })
  if (release.reviewed === 'by nobody')
    all.push({ minutes: 15, type: 'system', body: buildRejectedReview(release, commit) })
  if (release.has_rollback_plan) all.push({ minutes: 12, type: 'generic', ...buildRollbackPlan(release) })
  return all.filter(({ body }) => !release.leaves_out?.includes(body.attestation_name))
}

/** The artifact, or its name in the template if it has not been built yet. */
const buildSubject = ({ is_unbuilt, fingerprint }: Release) =>
  is_unbuilt ? { target_artifacts: ['image'] } : { artifact_fingerprint: fingerprint }

/** A number that looks random but is always the same for a release. */
const pickNumber = ({ commit }: Release, from: number, below: number) =>
  Number.parseInt(commit.slice(from, from + 6), 16) % below

function buildTicket({ ticket, title }: Release, git_commit_info: Commit) {
  const issue_url = `https://tickets.harbour-bank.example/browse/${ticket}`
  return {
    attestation_name: 'change-ticket',
    git_commit_info,
    jira_results: [{ issue_id: ticket, issue_url, issue_exists: true, issue_fields: { summary: title } }],
  }
}

function buildReview(release: Release, git_commit_info: Commit) {
  const { service, commit, author, title, begun_at, reviewed } = release
  const others = ENGINEERS.filter(name => name !== author)
  // High-risk services need two approvals.
  const reviewers = reviewed === 'by nobody' ? [] : others.slice(0, service.risk === 'high' ? 2 : 1)
  const approvers = reviewers.map((username, i) => ({
    username,
    state: 'APPROVED',
    timestamp: begun_at - 1800 - i * 5400,
  }))
  const pull_request = {
    url: `https://git.harbour-bank.example/${service.name}/pull/${Number.parseInt(commit.slice(0, 3), 16)}`,
    state: 'MERGED',
    merge_commit: commit,
    approvers,
    author,
    title,
    head_ref: title.toLowerCase().replaceAll(' ', '-'),
    base_ref: 'main',
    created_at: begun_at - 26 * 3600,
    merged_at: begun_at - 1200,
    commits: [{ ...git_commit_info, author_username: author, verified: true }],
  }
  return {
    attestation_name: 'code-review',
    ...buildSubject(release),
    git_commit_info,
    git_provider: 'github',
    pull_requests: reviewed === 'without a pull request' ? [] : [pull_request],
  }
}

/** A separate decision, because the pull request attestation does not tell whether a review is sufficient. */
function buildRejectedReview(release: Release, git_commit_info: Commit) {
  return {
    attestation_name: 'second-person',
    ...buildSubject(release),
    git_commit_info,
    description: 'Merged by its author without approval',
    type_name: 'decision',
    control: 'SDLC-01',
    attestation_data: { is_compliant: false, author: release.author, approvals: 0 },
  }
}

function buildTests(release: Release, git_commit_info: Commit) {
  const total = 180 + Number.parseInt(release.commit.slice(0, 2), 16)
  const suite = { errors: 0, skipped: 1, duration: total / 20 }
  return {
    attestation_name: 'unit-tests',
    ...buildSubject(release),
    git_commit_info,
    junit_results: [
      { name: 'unit', failures: release.is_broken ? 2 : 0, total, ...suite },
      { name: 'contracts', failures: 0, total: 24, ...suite },
    ],
  }
}

const KNOWN_VULNERABILITIES = {
  high: { id: 'SNYK-JS-AMOUNTPARSER-7000310', message: 'A crafted amount is parsed incorrectly' },
  medium: { id: 'SNYK-JS-TINYTEMPLATE-6241187', message: 'Checking a long name takes a second' },
  low: { id: 'SNYK-JS-COLOURLOG-3310052', message: 'Log colours can be forged' },
} as const

function buildScan(release: Release, git_commit_info: Commit) {
  const buildFindings = (severity: keyof typeof KNOWN_VULNERABILITIES) =>
    Array.from({ length: release.findings[severity] }, (_, i) => ({
      ...KNOWN_VULNERABILITIES[severity],
      id: KNOWN_VULNERABILITIES[severity].id + (i || ''),
      locations: [{ uri: 'package-lock.json' }],
    }))
  const { high, medium, low } = release.findings
  const lists = { high: buildFindings('high'), medium: buildFindings('medium'), low: buildFindings('low') }
  return {
    attestation_name: 'vulnerability-scan',
    ...buildSubject(release),
    git_commit_info,
    snyk_results: {
      schema_version: 1,
      tool: { name: 'Snyk Open Source', version: '1.1300.0' },
      results: [{ high_count: high, medium_count: medium, low_count: low, ...lists }],
    },
  }
}

export function buildOverride(release: Release) {
  return {
    attestation_name: 'vulnerability-scan',
    ...buildSubject(release),
    reason: release.excused,
    new_compliance_status: true,
    original_attestation_type: 'snyk',
    external_urls: {
      Assessment: { href: `https://tickets.harbour-bank.example/browse/SEC-${pickNumber(release, 4, 400)}` },
    },
  }
}

function buildAnalysis(release: Release, git_commit_info: Commit) {
  const { service, commit, begun_at, has_failed_gate } = release
  const serverUrl = 'https://sonar.harbour-bank.example'
  const status = has_failed_gate ? 'ERROR' : 'OK'
  const value = (has_failed_gate ? 61.5 : 84 + pickNumber(release, 0, 12)).toFixed(1)
  return {
    attestation_name: 'static-analysis',
    ...buildSubject(release),
    git_commit_info,
    sonar_results: {
      serverUrl,
      taskId: `AZ${commit.slice(0, 12)}`,
      status: 'SUCCESS',
      analysedAt: new Date((begun_at + 600) * 1000).toISOString(),
      revision: commit,
      project: { key: service.name, name: service.name, url: `${serverUrl}/dashboard?id=${service.name}` },
      branch: { name: 'main', type: 'LONG' },
      qualityGate: {
        status,
        conditions: [
          { metric: 'new_coverage', errorThreshold: '80', operator: 'LESS_THAN', value, status },
          { metric: 'new_bugs', errorThreshold: '0', operator: 'GREATER_THAN', value: '0', status: 'OK' },
        ],
      },
    },
  }
}

function buildLoadTestResult(release: Release, git_commit_info: Commit) {
  const requests = 40_000 + pickNumber(release, 2, 9000)
  const p95_ms = release.is_slow ? MAX_P95_MS + 61 : 130 + pickNumber(release, 6, 90)
  const errors = release.is_broken ? 1210 : pickNumber(release, 3, 12)
  return {
    attestation_name: 'load-test',
    ...buildSubject(release),
    git_commit_info,
    type_name: 'load-test',
    attestation_data: { requests, errors, p95_ms, customers: 600 },
  }
}

function buildRollbackPlan({ service, version, title }: Release) {
  const content = [
    `# Roll back ${service.name} ${version}`,
    '',
    `Change: ${title}.`,
    '',
    '1. Stop the settlement run and wait for the current batch.',
    '2. Deploy the previous release, which can still read the tables.',
    '3. Restart the run and compare the totals with the ledger.',
    '',
  ].join('\n')
  return {
    body: {
      attestation_name: 'rollback-plan',
      description: 'Rehearsed in staging before the release',
      is_compliant: true,
      external_urls: {
        Runbook: { href: 'https://wiki.harbour-bank.example/payments/rollback' },
        Rehearsal: { href: `https://ci.harbour-bank.example/${service.name}/${version}/rehearsal` },
      },
      annotations: { rehearsed_by: 'jonas', took_minutes: '6' },
    },
    file: { part: 'attachment_file', name: 'rollback-plan.md', content },
  }
}

/** The people who approve releases; repeated names are chosen more often. Nobody approves their own change. */
const DECIDERS = ['mara', 'jonas', 'mara', 'jonas', 'teo'] as const

function buildDecision(release: Release, git_commit_info: Commit) {
  const is_compliant = !release.is_broken && !release.is_held_back
  const eligible = DECIDERS.filter(name => name !== release.author)
  const decider = eligible[pickNumber(release, 8, eligible.length)] ?? 'mara'
  const full_name = PEOPLE.find(({ name }) => name === decider)?.full_name
  return {
    attestation_name: 'release-decision',
    ...buildSubject(release),
    git_commit_info,
    description: `${is_compliant ? 'Released' : 'Held back'} by ${full_name}`,
    type_name: 'decision',
    control: 'REL-01',
    attestation_data: { is_compliant, decided_by: toMailAddress(decider), form: 'release' },
  }
}
