// API schemas of the current compliance of an environment.
import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import { Closed, Nullable } from '../shared/wire.ts'
import { Reason, Snapshot, SnapshotArtifact } from '../snapshots/wire.ts'
import { Environment } from './wire.ts'

export const ComplianceQuery = Closed('EnvironmentComplianceQuery', {
  archived: IncludeArchived,
  all: Type.Optional(Type.Boolean({ description: 'Also list compliant and unknown artifacts, as `others`' })),
})

const SUBJECT = {
  environment_name: Type.Optional(
    Type.String({ description: 'Only for logical environments: the member in which it runs' }),
  ),
  artifact_name: Type.String(),
  fingerprint: Type.String({ description: 'Empty if the digest is unknown' }),
}

const NonCompliant = Closed('NonCompliantArtifact', {
  ...SUBJECT,
  reasons: Type.Array(Reason),
  remedies: Type.Array(Type.String(), { description: 'What would make it compliant, without duplicates' }),
})
export type NonCompliant = Static<typeof NonCompliant>

const Other = Closed('OtherArtifact', {
  ...SUBJECT,
  compliant: Nullable(Type.Boolean({ description: 'Null if no policy is attached' })),
  allow_listed: SnapshotArtifact.properties.allow_listed,
})
export type Other = Static<typeof Other>

export const EnvironmentCompliance = Closed('EnvironmentCompliance', {
  environment_name: Type.String(),
  snapshot_index: Type.Integer({ description: 'Index of the latest snapshot; 0 before the first' }),
  state: Nullable(
    Type.Boolean({ description: 'Null if unknown, or if last known before the environment became stale' }),
  ),
  is_stale: Environment.properties.is_stale,
  stale_since: Environment.properties.stale_since,
  is_pending: Type.Boolean({
    description: 'Whether an evaluation is pending that may change a verdict; if so, ask again shortly',
  }),
  artifact_compliance_count: Snapshot.properties.artifact_compliance_count,
  policies: Type.Array(Closed('PolicyInForce', { name: Type.String(), version: Type.Integer() }), {
    description: 'In the order in which they were attached',
  }),
  others: Type.Optional(Type.Array(Other)),
  non_compliant: Type.Array(NonCompliant),
})
export type EnvironmentCompliance = Static<typeof EnvironmentCompliance>
