// Explains why something is not compliant, with the reasons from the service: what was expected, what was
// found, and how to fix it.
import { formatFields } from '../print/table.ts'

/** The fields that policy, template and trail reasons share. */
export interface Explained {
  description: string
  type?: string | undefined
  rule?: string | null | undefined
  policy_name?: string | null | undefined
  policy_version?: number | null | undefined
  artifact_name?: string | undefined
  artifact_fingerprint?: string | undefined
  flow_name?: string | null | undefined
  trail_name?: string | null | undefined
  expected: string
  found: string
  remedy?: string | undefined
}

export function describeReasons(reasons: readonly Explained[]): string {
  return reasons.map((reason, index) => `Reason ${index + 1}\n${describeReason(reason)}`).join('\n\n')
}

function describeReason(reason: Explained): string {
  const { policy_name, policy_version, artifact_name = '', artifact_fingerprint = '' } = reason
  const policy = policy_name ? ` of policy ${policy_name} v${policy_version}` : ''
  const artifact = [artifact_name, artifact_fingerprint.slice(0, 12)].filter(Boolean).join(' ')
  const fields: (readonly [string, string | null | undefined])[] = [
    ['Problem', reason.description],
    ['Rule', `${reason.rule ?? reason.type ?? 'template'}${policy}`],
    ['Artifact', artifact],
    ['Flow', reason.flow_name],
    ['Trail', reason.trail_name],
    ['Expected', reason.expected],
    ['Found', reason.found],
    ['Remedy', reason.remedy],
  ]
  return formatFields(
    fields.filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ).replaceAll(/^/gm, '  ')
}
