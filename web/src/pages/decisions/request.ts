// The request that a second person sends to confirm a decision: the same as the first, with a reason of their own.
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { readDecision, type WaitingDecision } from '../../parts/waiting-decisions.tsx'

/** Why this page cannot send it; undefined when it can. */
export function whyNotFromHere(decision: WaitingDecision): string | undefined {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow' || subject.target_artifacts.length === 0) return undefined
  return `It names artifacts by their names in the template, and only ${decision.asked_by} knows the commit that was sent with them. Ask for it, and send the same request with your own key.`
}

export function sendSame(org: string, decision: WaitingDecision, reason: string) {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') {
    const { environment_name: env_name, ...entry } = subject
    const params = { path: { org, env_name } }
    const body = { ...entry, description: reason }
    return unwrap(api.PUT('/allowlists/{org}/{env_name}', { params, body }))
  }
  const { flow_name, trail_name } = subject
  return unwrap(
    api.POST('/attestations/{org}/{flow_name}/trail/{trail_name}/override', {
      params: { path: { org, flow_name, trail_name } },
      body: overrideBody(decision, reason),
    }),
  )
}

/** The same for a shell. */
export function commandOf(org: string, decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  const { reason } = decision
  if (kind === 'allow') {
    const { environment_name, ...entry } = subject
    return buildCurl('PUT', buildApiPath('allowlists', org, environment_name), {
      ...entry,
      description: reason,
    })
  }
  const path = buildApiPath('attestations', org, subject.flow_name, 'trail', subject.trail_name, 'override')
  return buildCurl('POST', path, overrideBody(decision, reason))
}

function overrideBody(decision: WaitingDecision, reason: string) {
  const { kind, subject } = readDecision(decision)
  if (kind !== 'override') throw new Error('only an override is sent as one')
  const { attestation_name, artifact_fingerprint, target_artifacts } = subject
  const { original_attestation_type, new_compliance_status } = subject
  return {
    attestation_name,
    ...(artifact_fingerprint !== null && { artifact_fingerprint }),
    ...(target_artifacts.length > 0 && { target_artifacts, git_commit_info: { sha1: 'SHA1_OF_THE_COMMIT' } }),
    original_attestation_type,
    new_compliance_status,
    reason,
  }
}
