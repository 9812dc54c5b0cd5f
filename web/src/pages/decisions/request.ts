// The request that confirms a decision: the same as the original one, with the second person's reason.
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { readDecision, type WaitingDecision } from '../../parts/waiting-decisions.tsx'
import { decisionTexts as texts } from './texts.ts'

/** Why this page cannot send the request; undefined if it can. */
export function explainWhyNotSendable(decision: WaitingDecision): string | undefined {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow' || subject.target_artifacts.length === 0) return undefined
  return texts.decide.unknownCommit(decision.asked_by)
}

export function sendConfirmation(org: string, decision: WaitingDecision, reason: string) {
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
      body: buildOverrideBody(decision, reason),
    }),
  )
}

/** The same request as a shell command. */
export function buildCommand(org: string, decision: WaitingDecision): string {
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
  return buildCurl('POST', path, buildOverrideBody(decision, reason))
}

function buildOverrideBody(decision: WaitingDecision, reason: string) {
  const { kind, subject } = readDecision(decision)
  if (kind !== 'override') throw new Error('the decision is not an override')
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
