// The compliance of what runs now, as the outside sees it.
import { type Static, Type } from 'typebox'
import { IncludeArchived } from '../shared/archived.ts'
import { Closed, Nullable } from '../shared/wire.ts'
import { Reason, Snapshot, SnapshotArtifact } from '../snapshots/wire.ts'
import { Environment } from './wire.ts'

export const ComplianceQuery = Closed('EnvironmentComplianceQuery', {
  archived: IncludeArchived,
  all: Type.Optional(Type.Boolean({ description: 'List what is compliant or unknown as well, as `others`' })),
})

const SUBJECT = {
  environment_name: Type.Optional(
    Type.String({ description: 'Of a logical environment: the member it runs in' }),
  ),
  artifact_name: Type.String(),
  fingerprint: Type.String({ description: 'Empty where the digest is unknown' }),
}

const NonCompliant = Closed('NonCompliantArtifact', {
  ...SUBJECT,
  reasons: Type.Array(Reason),
  remedies: Type.Array(Type.String(), { description: 'What would make it compliant, each once' }),
})
export type NonCompliant = Static<typeof NonCompliant>

const Other = Closed('OtherArtifact', {
  ...SUBJECT,
  compliant: Nullable(Type.Boolean({ description: 'Null: no policy is attached' })),
  allow_listed: SnapshotArtifact.properties.allow_listed,
})
export type Other = Static<typeof Other>

export const EnvironmentCompliance = Closed('EnvironmentCompliance', {
  environment_name: Type.String(),
  snapshot_index: Type.Integer({ description: 'Of the latest snapshot; 0 before the first' }),
  state: Nullable(Type.Boolean({ description: 'Null: unknown, or known only before it became stale' })),
  is_stale: Environment.properties.is_stale,
  stale_since: Environment.properties.stale_since,
  is_pending: Type.Boolean({
    description:
      'Something changed that may change a verdict and has not been judged yet; ask again in a moment',
  }),
  artifact_compliance_count: Snapshot.properties.artifact_compliance_count,
  policies: Type.Array(Closed('PolicyInForce', { name: Type.String(), version: Type.Integer() }), {
    description: 'In the order of attachment',
  }),
  others: Type.Optional(Type.Array(Other)),
  non_compliant: Type.Array(NonCompliant),
})
export type EnvironmentCompliance = Static<typeof EnvironmentCompliance>
