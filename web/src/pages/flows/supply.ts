// Builds commands that report the missing evidence of a trail.
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'

const COMMIT_PLACEHOLDER = 'SHA1_OF_THE_COMMIT'
const SBOM_PLACEHOLDER = 'SHA256_OF_THE_SBOM'
const FINGERPRINT_PLACEHOLDER = 'SHA256_OF_THE_ARTIFACT'

/** Example payloads by type, to be replaced by real results. */
const PAYLOADS: Record<string, { operation: string; payload: object }> = {
  generic: { operation: 'generic', payload: { is_compliant: true } },
  junit: {
    operation: 'junit',
    payload: {
      junit_results: [{ name: 'suite', total: 1, failures: 0, errors: 0, skipped: 0, duration: 1 }],
    },
  },
  snyk: {
    operation: 'snyk',
    payload: {
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Snyk Open Source' },
        results: [{ high_count: 0, medium_count: 0, low_count: 0 }],
      },
    },
  },
  jira: {
    operation: 'jira',
    payload: {
      jira_results: [
        { issue_id: 'ISSUE-1', issue_url: 'https://issues.example/ISSUE-1', issue_exists: true },
      ],
    },
  },
  sonar: { operation: 'sonar', payload: { sonar_results: { qualityGate: { status: 'OK' } } } },
  pull_request: {
    operation: 'pull_request',
    payload: {
      git_provider: 'github',
      pull_requests: [{ url: 'https://git.example/pull/1', state: 'MERGED', approvers: ['SOMEBODY'] }],
    },
  },
  'system:decision': {
    operation: 'system',
    payload: { type_name: 'decision', control: 'CONTROL', attestation_data: { is_compliant: true } },
  },
  'system:sbom': {
    operation: 'system',
    payload: {
      type_name: 'sbom',
      attestation_data: { format: 'cyclonedx-1.6', original_fingerprint: SBOM_PLACEHOLDER },
    },
  },
}

function getPayload(attestation_type: string) {
  if (attestation_type.startsWith('custom:')) {
    const type_name = attestation_type.slice('custom:'.length)
    return { operation: 'custom', payload: { type_name, attestation_data: {} } }
  }
  return (
    PAYLOADS[attestation_type] ??
    PAYLOADS[`system:${attestation_type}`] ?? { operation: 'generic', payload: { is_compliant: true } }
  )
}

export interface Target {
  /** The name of the artifact in the template; null for trail-level evidence. */
  artifact: string | null
  fingerprint: string | null
}

type TrailRef = Pick<Schemas['Trail'], 'flow_name' | 'name' | 'git_commit_info'>

export function buildAttestationCommand(
  org: string,
  trail: TrailRef,
  slot: { attestation_name: string; attestation_type: string },
  target: Target,
): string {
  const { operation, payload } = getPayload(slot.attestation_type)
  const path = buildApiPath('attestations', org, trail.flow_name, 'trail', trail.name, operation)
  const { attestation_name } = slot
  return buildCurl('POST', path, { attestation_name, ...buildTarget(trail, target), ...payload })
}

function buildTarget(trail: TrailRef, { artifact, fingerprint }: Target): object {
  if (fingerprint !== null) return { artifact_fingerprint: fingerprint }
  if (artifact === null) return {}
  const sha1 = trail.git_commit_info?.sha1 ?? COMMIT_PLACEHOLDER
  return { target_artifacts: [artifact], git_commit_info: { sha1 } }
}

export function buildArtifactCommand(org: string, trail: TrailRef, template_reference_name: string): string {
  return buildCurl('POST', buildApiPath('artifacts', org, trail.flow_name), {
    fingerprint: FINGERPRINT_PLACEHOLDER,
    filename: template_reference_name,
    git_commit: trail.git_commit_info?.sha1 ?? COMMIT_PLACEHOLDER,
    build_url: 'https://ci.example/builds/1',
    commit_url: trail.git_commit_info?.url || 'https://git.example/commit/1',
    trail_name: trail.name,
    template_reference_name,
  })
}
