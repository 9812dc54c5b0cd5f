// The type `jira`: the issues that a change refers to.
import { type Static, Type } from 'typebox'
import { about, Closed, Described, WebAddressOrEmpty } from '../../schema.ts'
import { type AttestationVerdict, defineAttestationType } from '../define-type.ts'
import { MAX_ITEMS, MAX_NAME } from '../fields.ts'
import { formatCount, formatNames } from '../phrases.ts'

const JiraIssue = Closed('JiraIssue', {
  issue_id: Type.String({ minLength: 1, maxLength: MAX_NAME, ...about('Key of the issue', 'PAY-42') }),
  issue_url: Described(WebAddressOrEmpty, 'URL of the issue', 'https://tickets.example.com/browse/PAY-42'),
  issue_exists: Type.Boolean(about('Whether the issue exists in the tracker', true)),
  issue_fields: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      description: 'Fields of the issue, as the tracker gives them',
    }),
  ),
})

export const jira = defineAttestationType({
  name: 'jira',
  subject: 'references to issues',
  summary: 'Compliant when there is an issue, and all exist',
  fields: {
    jira_results: Type.Array(JiraIssue, {
      maxItems: MAX_ITEMS,
      description: 'The issues that the change refers to',
    }),
  },
  evaluate: ({ jira_results }) => evaluateIssues(jira_results),
  example: {
    attestation_name: 'work-item',
    jira_results: [
      {
        issue_id: 'SHOP-311',
        issue_url: 'https://issues.acme.example/browse/SHOP-311',
        issue_exists: true,
        issue_fields: { summary: 'Check the address', status: { name: 'In review' } },
      },
    ],
  },
  command: { jira_results: 'YOUR_ISSUES' },
  arguments: ['jira', '--jira-base-url', 'YOUR_JIRA_ADDRESS', '--commit', 'YOUR_COMMIT'],
})

function evaluateIssues(issues: readonly Static<typeof JiraIssue>[]): AttestationVerdict {
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
