// A trail for people: its evidence as a table, and the whole trail as Markdown for a pull request or a job summary.
import type { Schemas } from '../api-types.ts'
import { escapeMarkdown } from '../print/markdown.ts'
import { formatTable, formatTime } from '../print/table.ts'

type Trail = Schemas['Trail']
type Status = Schemas['ComplianceStatus']
type Evidence = Schemas['AttestationStatus']

interface EvidenceRow {
  target: string
  name: string
  type: string
  state: string
}

export function describeEvidence(status: Status): string[] {
  const rows = listEvidence(status)
  if (rows.length === 0) return []
  const cells = rows.map(({ target, name, type, state }) => [target, name, type, state])
  return ['', formatTable([['ABOUT', 'ATTESTATION', 'TYPE', 'STATE'], ...cells])]
}

export function writeTrailMarkdown(found: Trail): string {
  const rows = listEvidence(found.compliance_status)
  const { reasons } = found.compliance_status
  return [
    `## ${escapeMarkdown(found.flow_name)}: ${escapeMarkdown(found.name)}`,
    '',
    `**${found.compliance_state}**${found.description === '' ? '' : `: ${escapeMarkdown(found.description)}`}`,
    '',
    `Began ${formatTime(found.created_at)} by ${escapeMarkdown(found.created_by)}. [Page](${found.html_url})`,
    ...(rows.length === 0 ? [] : ['', '| About | Attestation | Type | State |', '|---|---|---|---|']),
    ...rows.map(
      ({ target, name, type, state }) => `| ${[target, name, type, state].map(escapeMarkdown).join(' | ')} |`,
    ),
    ...(reasons.length === 0 ? [] : ['', '### Not compliant because', '']),
    ...reasons.map(
      ({ description, expected, found: actual }) =>
        `- ${escapeMarkdown(description)} (expected ${escapeMarkdown(expected)}, found ${escapeMarkdown(actual)})`,
    ),
  ].join('\n')
}

function listEvidence({ attestations_statuses, artifacts_statuses }: Status): EvidenceRow[] {
  return [
    ...attestations_statuses.map(evidence => toRow('trail', evidence)),
    ...Object.entries(artifacts_statuses).flatMap(([name, artifact]) => [
      { target: name, name: '', type: 'artifact', state: artifact.status },
      ...artifact.attestations_statuses.map(evidence => toRow(name, evidence)),
    ]),
  ]
}

function toRow(
  target: string,
  { attestation_name, attestation_type, status, is_compliant }: Evidence,
): EvidenceRow {
  const verdict = is_compliant === false ? 'NON-COMPLIANT' : 'COMPLIANT'
  const state = status === 'MISSING' ? 'MISSING' : verdict
  return { target, name: attestation_name, type: attestation_type, state }
}
