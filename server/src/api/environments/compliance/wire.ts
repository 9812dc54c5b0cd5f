// API schemas of the current compliance of an environment.
import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../../shared/archived.ts'
import {
  ArtifactName,
  EnvironmentName,
  FingerprintOrEmpty,
  PolicyName,
  Version,
} from '../../shared/fields.ts'
import { AllowListed, ArtifactComplianceCount, Reason } from '../../shared/verdict-wire.ts'
import { about, Closed, Described, Nullable } from '../../shared/wire.ts'
import { Environment, PARTIAL } from '../wire.ts'

export const ComplianceQuery = Closed('EnvironmentComplianceQuery', {
  archived: IncludeArchived,
  all: Type.Optional(Type.Boolean({ description: 'Also list compliant and unknown artifacts, as `others`' })),
})

const SUBJECT = {
  environment_name: Type.Optional(
    Type.String(about('Only for logical environments: the member in which it runs', 'production')),
  ),
  artifact_name: ArtifactName,
  fingerprint: FingerprintOrEmpty,
}

const NonCompliant = Closed('NonCompliantArtifact', {
  ...SUBJECT,
  reasons: Type.Array(Reason, about('Reasons for non-compliance; empty if compliant')),
  remedies: Type.Array(
    Type.String(),
    about('Actions that make it compliant, without duplicates', ['Attest unit-tests for the artifact']),
  ),
})
export type NonCompliant = Static<typeof NonCompliant>

const Other = Closed('OtherArtifact', {
  ...SUBJECT,
  compliant: Nullable(Type.Boolean(about('Null if no policy is attached', true))),
  allow_listed: AllowListed,
})
export type Other = Static<typeof Other>

export const EnvironmentCompliance = Closed('EnvironmentCompliance', {
  environment_name: EnvironmentName,
  snapshot_index: Type.Integer(about('Index of the latest snapshot; 0 before the first', 42)),
  state: Nullable(
    Type.Boolean(
      about(
        'Whether the running artifacts are compliant; null if unknown, or if last known before it became stale or partial',
        false,
      ),
    ),
  ),
  unknown_because: Environment.properties.unknown_because,
  is_stale: Environment.properties.is_stale,
  stale_since: Environment.properties.stale_since,
  ...PARTIAL,
  is_pending: Type.Boolean({
    description: 'Whether an evaluation is pending that may change a verdict; if so, ask again shortly',
  }),
  artifact_compliance_count: Described(
    ArtifactComplianceCount,
    'Number of compliant, non-compliant and unknown artifacts',
  ),
  policies: Type.Array(Closed('PolicyInForce', { name: PolicyName, version: Version }), {
    description: 'The attached policies, in the order of attachment',
  }),
  others: Type.Optional(Type.Array(Other, about('Compliant and unknown artifacts; only if requested'))),
  non_compliant: Type.Array(NonCompliant, about('Non-compliant artifacts, each with its reasons')),
})
export type EnvironmentCompliance = Static<typeof EnvironmentCompliance>
