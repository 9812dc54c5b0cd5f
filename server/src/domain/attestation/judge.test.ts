import { describe, expect, it } from 'vitest'
import { type JudgedPayload, judgeAttestation } from './judge.ts'

const suite = (failures: number, errors: number, name = 'unit') => ({ name, failures, errors })
const run = (high_count: number, medium_count: number, low_count: number) => ({
  high_count,
  medium_count,
  low_count,
})
const issue = (issue_id: string, issue_exists: boolean) => ({ issue_id, issue_exists })
const junit = (...junit_results: ReturnType<typeof suite>[]): JudgedPayload => ({
  type: 'junit',
  junit_results,
})
const snyk = (...results: ReturnType<typeof run>[]): JudgedPayload => ({
  type: 'snyk',
  snyk_results: { results },
})
const jira = (...jira_results: ReturnType<typeof issue>[]): JudgedPayload => ({ type: 'jira', jira_results })
const gate = (status: string): JudgedPayload => ({
  type: 'sonar',
  sonar_results: { qualityGate: { status } },
})

const table: [string, JudgedPayload, boolean, string][] = [
  ['generic, compliant', { type: 'generic', is_compliant: true }, true, 'is_compliant: true'],
  ['generic, not compliant', { type: 'generic', is_compliant: false }, false, 'is_compliant: false'],

  ['junit without a suite', junit(), false, 'no test suite'],
  ['junit, one clean suite', junit(suite(0, 0)), true, '0 failures and 0 errors in 1 test suite'],
  ['junit, one failure', junit(suite(1, 0)), false, '1 failure and 0 errors in 1 test suite: unit'],
  ['junit, one error', junit(suite(0, 1)), false, '0 failures and 1 error in 1 test suite: unit'],
  [
    'junit, one bad suite of two',
    junit(suite(0, 0, 'good'), suite(2, 1, 'bad')),
    false,
    '2 failures and 1 error in 2 test suites: bad',
  ],
  [
    'junit, a bad suite without a name',
    { type: 'junit', junit_results: [{ failures: 1, errors: 1 }] },
    false,
    '1 failure and 1 error in 1 test suite',
  ],
  [
    'junit, many bad suites',
    junit(...Array.from({ length: 12 }, (_, i) => suite(1, 0, `s${i}`))),
    false,
    '12 failures and 0 errors in 12 test suites: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, …',
  ],

  ['snyk without a run', snyk(), true, 'no vulnerability'],
  ['snyk, a clean run', snyk(run(0, 0, 0)), true, 'no vulnerability'],
  ['snyk, one high', snyk(run(1, 0, 0)), false, 'vulnerabilities: 1 high, 0 medium, 0 low'],
  ['snyk, one medium', snyk(run(0, 1, 0)), false, 'vulnerabilities: 0 high, 1 medium, 0 low'],
  ['snyk, one low', snyk(run(0, 0, 1)), false, 'vulnerabilities: 0 high, 0 medium, 1 low'],
  ['snyk, two runs', snyk(run(0, 0, 0), run(1, 2, 3)), false, 'vulnerabilities: 1 high, 2 medium, 3 low'],
  [
    'snyk, a finding that was not counted',
    { type: 'snyk', snyk_results: { results: [{ ...run(0, 0, 0), low: [{ id: 'x' }] }] } },
    false,
    'vulnerabilities: 0 high, 0 medium, 1 low',
  ],
  [
    'snyk, lists that are null',
    { type: 'snyk', snyk_results: { results: [{ ...run(0, 0, 0), high: null, medium: null, low: null }] } },
    true,
    'no vulnerability',
  ],

  ['jira without an issue', jira(), false, 'no issue'],
  ['jira, one that exists', jira(issue('A-1', true)), true, '1 issue, all exist'],
  ['jira, one that does not', jira(issue('A-1', false)), false, '1 of 1 issue not found: A-1'],
  ['jira, one of two', jira(issue('A-1', true), issue('B-2', false)), false, '1 of 2 issues not found: B-2'],

  ['sonar, passed', gate('OK'), true, 'quality gate OK'],
  ['sonar, failed', gate('ERROR'), false, 'quality gate ERROR'],
  ['sonar, warned', gate('WARN'), false, 'quality gate WARN'],
  ['sonar, in lower case', gate('ok'), false, 'quality gate ok'],
  ['sonar, no gate', { type: 'sonar', sonar_results: {} }, false, 'no quality gate'],
  ['sonar, a null gate', { type: 'sonar', sonar_results: { qualityGate: null } }, false, 'no quality gate'],

  ['pull_request, none', { type: 'pull_request', pull_requests: [] }, false, 'no pull request'],
  [
    'pull_request, one that is closed',
    { type: 'pull_request', pull_requests: [{ state: 'CLOSED' }] },
    true,
    '1 pull request',
  ],
  ['pull_request, two', { type: 'pull_request', pull_requests: [{}, {}] }, true, '2 pull requests'],

  [
    'decision, compliant',
    { type: 'decision', attestation_data: { is_compliant: true } },
    true,
    'is_compliant: true',
  ],
  [
    'decision, not compliant',
    { type: 'decision', attestation_data: { is_compliant: false } },
    false,
    'is_compliant: false',
  ],
  [
    'override to compliant',
    { type: 'override', new_compliance_status: true },
    true,
    'new_compliance_status: true',
  ],
  [
    'override to not compliant',
    { type: 'override', new_compliance_status: false },
    false,
    'new_compliance_status: false',
  ],
]

describe.each(table)('%s', (_, payload, is_compliant, found) => {
  it(is_compliant ? 'is compliant' : 'is not compliant', () =>
    expect(judgeAttestation(payload)).toMatchObject({ is_compliant, found }),
  )
  it('says what was expected', () => expect(judgeAttestation(payload).expected).toMatch(/^\S.*\S$/))
})
