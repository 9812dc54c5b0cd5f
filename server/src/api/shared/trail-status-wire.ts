// API schemas of the compliance of a trail: its verdict, its artifacts and attestations, and the reasons.
import { Type } from 'typebox'
import { RULES } from '../../domain/trail/verdict.ts'
import { EXAMPLE_ID } from './examples.ts'
import {
  ArtifactReportId,
  AttestationId,
  AttestationName,
  AttestationType,
  EvaluatedAt,
  Expected,
  Fingerprint,
  Found,
  IsCompliant,
  OverriddenAttestationId,
  ReasonText,
  TemplateId,
  TemplateReferenceName,
} from './fields.ts'
import { about, Closed, Described, Nullable, OneOf } from './wire.ts'

export const State = OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])

const Unexpected = Type.Boolean(
  about('Whether it was reported although the template does not expect it', false),
)

const AttestationStatus = Closed('AttestationStatus', {
  attestation_name: AttestationName,
  attestation_type: AttestationType,
  attestation_id: Nullable(
    Type.String(),
    about('Id of the attestation; null while it is missing', EXAMPLE_ID),
  ),
  overridden_attestation_id: OverriddenAttestationId,
  status: OneOf(['MISSING', 'COMPLETE'], about('Whether the attestation was reported', 'COMPLETE')),
  is_compliant: Nullable(
    Type.Boolean(),
    about('Whether the attestation is compliant; null while it is missing', true),
  ),
  unexpected: Unexpected,
})

const ComplianceReason = Closed(
  'ComplianceReason',
  {
    rule: OneOf([...RULES], about('The violated rule', 'missing_attestation')),
    attestation_name: Type.Optional(AttestationName),
    attestation_type: Type.Optional(AttestationType),
    template_reference_name: Type.Optional(TemplateReferenceName),
    artifact_fingerprint: Type.Optional(Fingerprint),
    expected: Expected,
    found: Found,
    description: ReasonText,
  },
  { description: 'What was expected, what was found, and where' },
)

const AttestationStatuses = Type.Array(AttestationStatus, about('Status of each expected attestation'))
const Reasons = Type.Array(ComplianceReason, about('Reasons for non-compliance; empty if compliant'))

const BuildStatus = Closed('BuildStatus', {
  artifact_fingerprint: Fingerprint,
  artifact_id: ArtifactReportId,
  status: Described(State, 'The verdict', 'COMPLIANT'),
  is_compliant: IsCompliant,
  attestations_statuses: AttestationStatuses,
  reasons: Reasons,
})

const ArtifactStatus = Closed('ArtifactStatus', {
  artifact_fingerprint: Nullable(Fingerprint),
  artifact_id: Nullable(ArtifactReportId),
  status: OneOf(
    ['MISSING', 'INCOMPLETE', 'COMPLIANT', 'NON-COMPLIANT'],
    about('Verdict on the artifact', 'COMPLIANT'),
  ),
  is_compliant: Nullable(
    Type.Boolean(),
    about('Whether the artifact is compliant; null while it is missing', true),
  ),
  attestations_statuses: AttestationStatuses,
  unexpected: Unexpected,
  reasons: Reasons,
  earlier_builds: Type.Array(BuildStatus, {
    description: 'Earlier builds with the same name that still count, newest first',
  }),
  evaluated_at: EvaluatedAt,
  flow_template_id: TemplateId,
})

const WaitingAttestation = Closed('WaitingAttestation', {
  attestation_id: AttestationId,
  attestation_name: AttestationName,
  waiting_for: Type.String(
    about('The artifact and commit that it will be attached to', 'backend at 4f2c1d0'),
  ),
})

export const ComplianceStatus = Closed(
  'ComplianceStatus',
  {
    status: Described(State, 'Verdict on the trail', 'COMPLIANT'),
    is_compliant: IsCompliant,
    attestations_statuses: AttestationStatuses,
    artifacts_statuses: Type.Record(
      Type.String(),
      ArtifactStatus,
      about('Status of each expected artifact, by its name in the template'),
    ),
    reasons: Reasons,
    waiting: Type.Array(WaitingAttestation, about('Attestations of artifacts that are not reported yet')),
    evaluated_at: EvaluatedAt,
    flow_template_id: TemplateId,
  },
  about('The verdict, with everything that it is based on'),
)
