// Short names for the API answers about environments.
import type { Schemas } from '../../parts/schemas.ts'

export type Environment = Schemas['Environment']
export type SnapshotArtifactPage = Schemas['SnapshotArtifactPage']
export type SnapshotSummary = Schemas['SnapshotSummary']
export type ExitedArtifact = Schemas['ExitedArtifact']
export type TimelineBucket = Schemas['TimelineBucket']
export type SnapshotArtifact = Schemas['SnapshotArtifact']
export type SnapshotListItem = Schemas['SnapshotListItem']
export type Reason = Schemas['Reason']
export type EnvironmentDiff = Schemas['EnvironmentDiff']
/** Without `flows`: the generated client omits its fields that are always null, so the types would not match. */
export type EnvironmentEvent = Omit<Schemas['EnvironmentEvent'], 'flows'>
export type AllowListEntry = Schemas['AllowListEntry']
export type Deployment = Schemas['EnvironmentDeploymentPage']['deployments'][number]
