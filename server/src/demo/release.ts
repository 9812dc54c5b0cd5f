// What a pipeline of the demo attests about one release.
import type { Service } from './company.ts'
import { addressOf, ENGINEERS } from './company.ts'

export interface Release {
  service: Service
  version: string
  /** Epoch seconds. */
  begun_at: number
  trail: string
  commit: string
  fingerprint: string
  image: string
  author: string
  title: string
  ticket: string
  is_broken: boolean
  /** Vulnerabilities of high severity. */
  findings: number
  /** Attestations that never came. */
  leaves_out?: readonly string[]
}

interface Attested {
  minutes: number
  type: string
  body: { attestation_name: string }
}

type Commit = Record<string, unknown>

export function attestationsOf(release: Release, commit: Commit): Attested[] {
  const all: Attested[] = [
    { minutes: 1, type: 'jira', body: ticketOf(release, commit) },
    { minutes: 5, type: 'pull_request', body: reviewOf(release, commit) },
    { minutes: 7, type: 'junit', body: testsOf(release, commit) },
    { minutes: 9, type: 'snyk', body: scanOf({ ...release, findings: 0 }, commit) },
    { minutes: 60, type: 'system', body: decisionOn(release, commit) },
  ]
  return all.filter(({ body }) => !release.leaves_out?.includes(body.attestation_name))
}

function ticketOf({ ticket, title }: Release, git_commit_info: Commit) {
  const issue_url = `https://tickets.harbour-bank.example/browse/${ticket}`
  return {
    attestation_name: 'change-ticket',
    git_commit_info,
    jira_results: [{ issue_id: ticket, issue_url, issue_exists: true, issue_fields: { summary: title } }],
  }
}

function reviewOf(
  { service, commit, author, title, begun_at, fingerprint }: Release,
  git_commit_info: Commit,
) {
  const [reviewer = 'teo'] = ENGINEERS.filter(name => name !== author)
  return {
    attestation_name: 'code-review',
    artifact_fingerprint: fingerprint,
    git_commit_info,
    git_provider: 'github',
    pull_requests: [
      {
        url: `https://git.harbour-bank.example/${service.name}/pull/${Number.parseInt(commit.slice(0, 3), 16)}`,
        state: 'MERGED',
        merge_commit: commit,
        approvers: [{ username: reviewer, state: 'APPROVED', timestamp: begun_at - 1800 }],
        author,
        title,
        head_ref: title.toLowerCase().replaceAll(' ', '-'),
        base_ref: 'main',
        created_at: begun_at - 26 * 3600,
        merged_at: begun_at - 1200,
        commits: [{ ...git_commit_info, author_username: author, verified: true }],
      },
    ],
  }
}

function testsOf({ is_broken, commit, fingerprint }: Release, git_commit_info: Commit) {
  const total = 180 + Number.parseInt(commit.slice(0, 2), 16)
  const suite = { errors: 0, skipped: 1, duration: total / 20 }
  return {
    attestation_name: 'unit-tests',
    artifact_fingerprint: fingerprint,
    git_commit_info,
    junit_results: [
      { name: 'unit', failures: is_broken ? 2 : 0, total, ...suite },
      { name: 'contracts', failures: 0, total: 24, ...suite },
    ],
  }
}

export function scanOf({ findings, fingerprint }: Release, git_commit_info: Commit) {
  const high = Array.from({ length: findings }, (_, i) => ({
    id: `SNYK-JS-LEFTPAD-${7_000_000 + i}`,
    message: 'A crafted amount is read as another one',
    locations: [{ uri: 'package-lock.json' }],
  }))
  return {
    attestation_name: 'vulnerability-scan',
    artifact_fingerprint: fingerprint,
    git_commit_info,
    snyk_results: {
      schema_version: 1,
      tool: { name: 'Snyk Open Source', version: '1.1300.0' },
      results: [{ high_count: findings, medium_count: 0, low_count: 0, ...(findings > 0 ? { high } : {}) }],
    },
  }
}

export function decisionOn({ is_broken, fingerprint, author }: Release, git_commit_info: Commit) {
  return {
    attestation_name: 'release-decision',
    artifact_fingerprint: fingerprint,
    git_commit_info,
    type_name: 'decision',
    control: 'REL-01',
    attestation_data: { is_compliant: !is_broken, decided_by: addressOf(author), form: 'release' },
  }
}
