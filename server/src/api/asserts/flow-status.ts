// Evaluates one artifact against the template of each flow, in the same way as the page of the trail, and lists what
// would make it compliant.
import { evaluateTrail, type Reason } from '../../domain/trail/evaluate.ts'
import { explainDeclaredNonCompliant } from '../../domain/trail/reasons.ts'
import type { KnownFlow } from '../../evaluation/known-flows-store.ts'
import { toWireId } from '../../lib/ids.ts'
import { toEpoch } from '../shared/wire.ts'
import type { AssertedTrail, Candidate, SlotInJson } from './store.ts'
import type { AssertedFlow, AssertedStatus, AssertReason } from './wire.ts'

export interface FlowStatus {
  shown: AssertedFlow
  is_compliant: boolean
  reasons: AssertReason[]
}

export function evaluateInFlow(
  known: KnownFlow,
  trail: AssertedTrail | undefined,
  artifact: Candidate,
): FlowStatus {
  const { flow_name, trail_name, artifact_state } = known
  const compliance_status = trail ? evaluateOnTrail(known, trail) : null
  const is_compliant = compliance_status ? compliance_status.is_compliant : artifact_state === 'COMPLIANT'
  return {
    shown: { flow: flow_name, trail: trail_name, compliance_status },
    is_compliant,
    reasons: is_compliant
      ? []
      : compliance_status
        ? compliance_status.reasons.map(reason => toReason(reason, known, artifact))
        : [buildReasonWithoutTrail(known, artifact)],
  }
}

/** The status of this artifact only; other artifacts of the trail may be missing. */
function evaluateOnTrail(known: KnownFlow, trail: AssertedTrail): AssertedStatus {
  const name = known.template_reference_name ?? ''
  const slots = trail.slots ?? []
  const verdict = evaluateTrail(trail.template, {
    attestations: slots.filter(slot => slot.is_of_trail).map(toEvidence),
    artifacts: [
      {
        template_reference_name: name,
        artifact_fingerprint: known.fingerprint,
        artifact_id: known.artifact_id,
        report_id: known.artifact_id,
        is_declared_compliant: known.is_declared_compliant,
        reported_by: known.reported_by,
        attestations: slots.filter(slot => !slot.is_of_trail).map(toEvidence),
      },
    ],
  })
  const own = verdict.artifacts_statuses[name]
  const status = own && own.status !== 'MISSING' ? own.status : 'INCOMPLETE'
  return {
    status,
    is_compliant: status === 'COMPLIANT',
    attestations_statuses: [...verdict.attestations_statuses, ...(own?.attestations_statuses ?? [])],
    reasons: own?.reasons ?? [],
    evaluated_at: toEpoch(trail.evaluated_at),
    flow_template_id: toWireId(trail.template_id),
  }
}

function toEvidence({ is_of_trail, attestation_id, overridden_attestation_id, ...slot }: SlotInJson) {
  return {
    ...slot,
    attestation_id: toWireId(attestation_id),
    overridden_attestation_id: overridden_attestation_id && toWireId(overridden_attestation_id),
  }
}

function toReason(reason: Reason, known: KnownFlow, artifact: Candidate): AssertReason {
  const { rule, description, expected, found } = reason
  return {
    ...NO_POLICY,
    type: rule,
    description,
    artifact_name: artifact.filename,
    artifact_fingerprint: artifact.fingerprint,
    flow_name: known.flow_name,
    trail_name: known.trail_name,
    attestation_name: reason.attestation_name ?? null,
    attestation_type: reason.attestation_type ?? null,
    expected,
    found,
    remedy: describeRemedy(reason, known),
  }
}

const NO_POLICY = { policy_name: null, policy_version: null, rule: null, for_control: null }

function describeRemedy(reason: Reason, { flow_name, trail_name }: KnownFlow): string {
  const { rule, attestation_name, attestation_type, template_reference_name } = reason
  const target = template_reference_name === undefined ? '' : ` for artifact '${template_reference_name}'`
  const where = `on trail '${trail_name}' of flow '${flow_name}'${target}`
  if (rule === 'declared_non_compliant') return `Report it again with is_compliant true, ${where}`
  if (rule === 'non_compliant_attestation')
    return `Report attestation '${attestation_name}' again, compliant, ${where}`
  const type = attestation_type === '*' ? '' : ` of type '${attestation_type}'`
  return `Report a compliant attestation '${attestation_name}'${type} ${where}`
}

/** For an artifact reported without a trail (the older way): evidence can only be reported on a trail. */
function buildReasonWithoutTrail(known: KnownFlow, artifact: Candidate): AssertReason {
  const { flow_name, artifact_state, is_declared_compliant, reported_by } = known
  if (is_declared_compliant === false) {
    const { filename, fingerprint } = artifact
    const reason = explainDeclaredNonCompliant(filename, fingerprint, reported_by)
    const remedy = `Report it again to flow '${flow_name}' with is_compliant true`
    return { ...toReason(reason, known, artifact), remedy }
  }
  return {
    ...NO_POLICY,
    type: artifact_state === 'INCOMPLETE' ? 'incomplete_artifact' : 'non_compliant_artifact',
    description: `Artifact '${artifact.filename}' is ${artifact_state} in flow '${flow_name}', where it was reported without a trail`,
    artifact_name: artifact.filename,
    artifact_fingerprint: artifact.fingerprint,
    flow_name,
    trail_name: null,
    attestation_name: null,
    attestation_type: null,
    expected: 'COMPLIANT',
    found: artifact_state,
    remedy: `Report the artifact on a trail of flow '${flow_name}', with the evidence that its template requires`,
  }
}
