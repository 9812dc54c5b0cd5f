// API schemas of snapshots.

import { type Static, Type } from 'typebox'
import { ENVIRONMENT_TYPES } from '../../domain/snapshot/reported.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { Page, PerPage } from '../shared/page.ts'
import { Closed, EpochSeconds, Nullable, OneOf } from '../shared/wire.ts'

export const SnapshotPath = Closed('SnapshotPath', {
  org: Type.String(),
  env_name: Type.String(),
  snapshot_expression: Type.String({
    description:
      '`N` or `#N` (from 1; negative from the latest), `~N` (behind the latest), `@{YYYY-MM-DDTHH:MM:SS}` (UTC), ' +
      '`@{N.hours.ago}` (hours, days, weeks or months), `@{now}`',
  }),
})

export const SnapshotListQuery = Closed('SnapshotListQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPage,
  interval: Type.Optional(
    Type.String({
      description: '`A..B`, where each side is a number, `~N`, `NOW` or `@{…}`. Defaults to all',
    }),
  ),
  reverse: Type.Optional(Type.Boolean({ description: 'Oldest first' })),
})

const IsStale = Type.Boolean({
  description: 'Whether it is the latest snapshot of a stale environment',
})

export const SnapshotListItem = Closed('SnapshotListItem', {
  index: Type.Integer(),
  from: EpochSeconds,
  to: Type.Number({ description: '0 for the latest' }),
  compliant: Type.Boolean({ description: 'Also false if compliance is unknown; see `state`' }),
  state: Nullable(Type.Boolean()),
  is_stale: IsStale,
  duration: Type.Number({ description: 'Seconds' }),
  cause: Type.String(),
  artifact_compliance_count: Type.Record(Type.String(), Type.Integer()),
})
export type SnapshotListItem = Static<typeof SnapshotListItem>
export const SnapshotList = Type.Array(SnapshotListItem)

const Annotation = Closed('SnapshotAnnotation', {
  type: Type.String({ description: 'The change since the previous snapshot; often `unchanged`' }),
  was: Type.Integer(),
  now: Type.Integer(),
})

export const Reason = Closed(
  'Reason',
  {
    type: Type.String(),
    description: Type.String(),
    policy_name: Type.String(),
    policy_version: Type.Integer(),
    rule: OneOf(['provenance', 'trail-compliance', 'attestation']),
    artifact_name: Type.String(),
    artifact_fingerprint: Type.String(),
    flow_name: Nullable(Type.String()),
    trail_name: Nullable(Type.String()),
    attestation_name: Nullable(Type.String()),
    attestation_type: Nullable(Type.String()),
    for_control: Nullable(Type.String()),
    expected: Type.String(),
    found: Type.String(),
    remedy: Type.String({ description: 'What to do to make it compliant' }),
  },
  { description: 'Why an artifact is not compliant' },
)

const FlowReason = Closed('FlowReason', {
  type: Type.String(),
  description: Type.String(),
  flow_name: Type.String(),
  trail_name: Nullable(Type.String()),
  expected: Type.String(),
  found: Type.String(),
})

const Resolution = Closed('RuleResolution', {
  type: Type.String(),
  context: Closed('RuleResolutionContext', {
    flow_name: Nullable(Type.String()),
    trail_name: Nullable(Type.String()),
    artifact_status: Nullable(OneOf(['COMPLIANT', 'NON-COMPLIANT'])),
    for_control: Type.Optional(Type.String()),
    attestation_ids: Type.Optional(Type.Array(Type.String())),
    error: Type.Optional(Type.String()),
  }),
})

export const RuleEvaluation = Closed('RuleEvaluation', {
  rule: Closed('EvaluatedRule', {
    type: OneOf(['provenance', 'trail-compliance', 'attestation']),
    definition: Type.Record(Type.String(), Type.Unknown()),
  }),
  satisfied: Nullable(Type.Boolean({ description: 'Null if the rule does not apply' })),
  ignored: Type.Boolean(),
  resolutions: Type.Array(Resolution),
})

export const PolicyDecision = Closed('PolicyDecision', {
  policy_name: Type.String(),
  policy_version: Type.Integer(),
  status: OneOf(['COMPLIANT', 'NON-COMPLIANT']),
  rule_evaluations: Type.Array(RuleEvaluation),
})
export type PolicyDecision = Static<typeof PolicyDecision>

const DeploymentDiff = Closed('DeploymentDiff', {
  diff_url: Nullable(
    Type.String({ description: 'Null if the commits are equal or from different repositories' }),
  ),
  previous_git_commit: Nullable(Type.String()),
  previous_git_commit_url: Nullable(Type.String()),
  previous_fingerprint: Type.String(),
  previous_artifact_name: Type.String(),
  previous_artifact_compliance_state: Type.String(),
  previous_running: Type.Boolean({ description: 'Whether it still runs in this snapshot' }),
  previous_trail_name: Nullable(Type.String()),
  previous_template_reference_name: Nullable(Type.String()),
})

const CommitShown = Closed('SnapshotGitCommitInfo', {
  sha1: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  author: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.Number()),
  url: Type.Optional(Type.String()),
})

const SnapshotFlow = Closed('SnapshotFlow', {
  flow_name: Type.String(),
  trail_name: Nullable(Type.String()),
  template_reference_name: Nullable(Type.String()),
  git_commit: Type.String(),
  commit_url: Type.String(),
  git_commit_info: Nullable(CommitShown),
  html_url: Type.String(),
  flow_html_url: Type.String(),
  annotations: Type.Record(Type.String(), Type.String()),
  deployment_diff: Nullable(DeploymentDiff),
  commit_lead_time: Nullable(Type.Number({ description: 'Seconds from commit to start' })),
  artifact_compliance_in_flow: Type.Boolean(),
  flow_reasons_for_non_compliance: Type.Array(FlowReason),
})

const Pods = Type.Unsafe<Record<
  string,
  { namespace: string; creationTimestamp: number; owners: unknown[] }
> | null>({
  type: ['object', 'null'],
  title: 'Pods',
  additionalProperties: { type: 'object' },
})

export const SnapshotArtifact = Closed('SnapshotArtifact', {
  name: Type.String(),
  fingerprint: Type.String({ description: 'Empty if the digest is unknown' }),
  environment_name: Type.Optional(
    Type.String({ description: 'In a logical environment: the member it runs in' }),
  ),
  compliant: Type.Boolean({ description: 'Also false if it is unknown; see `compliance_state`' }),
  compliance_state: OneOf(['COMPLIANT', 'NON-COMPLIANT', 'UNKNOWN']),
  creationTimestamp: Type.Array(Type.Integer(), { description: 'One per instance' }),
  annotation: Annotation,
  flow_name: Type.String(),
  git_commit: Type.String(),
  commit_url: Type.String(),
  html_url: Type.String(),
  flow_html_url: Type.String(),
  commit_lead_time: Nullable(Type.Number()),
  deployment_diff: Nullable(DeploymentDiff),
  deployments: Type.Array(Type.Integer(), { description: 'Always empty' }),
  flows: Type.Array(SnapshotFlow),
  policy_decisions: Type.Array(PolicyDecision),
  reasons_for_incompliance: Type.Array(Reason),
  allow_listed: Nullable(
    Closed('AllowListed', {
      description: Type.String(),
      created_by: Type.String(),
      expires_at: Nullable(EpochSeconds),
    }),
  ),
  pods: Pods,
  container_task_context: Nullable(
    Closed('ContainerTaskContext', {
      task_arn: Type.String(),
      cluster_name: Nullable(Type.String()),
      service_name: Nullable(Type.String()),
    }),
  ),
  serverless_run_context: Nullable(
    Closed('ServerlessRunContext', {
      kind: Nullable(Type.String()),
      revision_name: Nullable(Type.String()),
      service_name: Nullable(Type.String()),
      job_name: Nullable(Type.String()),
    }),
  ),
  app_context: Nullable(
    Closed('AppContext', {
      app_name: Type.String(),
      app_kind: Type.String(),
      digests_source: Type.String(),
    }),
  ),
})
export type SnapshotArtifact = Static<typeof SnapshotArtifact>

const AppliedPolicy = Closed('AppliedPolicy', {
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  policy_dump: Type.Record(Type.String(), Type.Unknown()),
  failing_artifacts: Type.Array(
    Type.String({ description: 'Fingerprint, or name if the fingerprint is unknown' }),
  ),
})
export type AppliedPolicy = Static<typeof AppliedPolicy>

export const SNAPSHOT_HEAD = {
  index: Type.Integer(),
  is_latest: Type.Boolean(),
  environment_name: Type.String(),
  type: OneOf([...ENVIRONMENT_TYPES]),
  timestamp: EpochSeconds,
  next_snapshot_timestamp: Nullable(EpochSeconds),
  compliant: Type.Boolean({ description: 'Also false if compliance is unknown; see `state`' }),
  state: Nullable(
    Type.Boolean({
      description:
        'Null if unknown: no policy is attached, or it is the latest snapshot of a stale environment',
    }),
  ),
  is_stale: IsStale,
  cause: Type.String({ description: 'What caused it: report, evidence, policies, allow-list or members' }),
  reported_by: Nullable(
    Type.String({ description: 'The reporter; null if something else caused it, see `cause`' }),
  ),
  html_url: Type.String(),
  artifact_compliance_count: Closed('ArtifactComplianceCount', {
    true: Type.Integer(),
    false: Type.Integer(),
    null: Type.Integer(),
  }),
}

export const Snapshot = Closed('Snapshot', {
  ...SNAPSHOT_HEAD,
  applied_policies: Type.Array(AppliedPolicy),
  artifacts: Type.Array(SnapshotArtifact),
})
export type Snapshot = Static<typeof Snapshot>
