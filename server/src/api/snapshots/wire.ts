// API schemas of snapshots.

import { type Static, Type } from 'typebox'
import { MAX_EXPIRED_DECISIONS } from '../../domain/snapshot/cause.ts'
import { ENVIRONMENT_TYPES } from '../../domain/snapshot/reported.ts'
import { IncludeArchived } from '../shared/archived.ts'
import { EXAMPLE_COMMIT, EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import {
  ArtifactName,
  CommitSha,
  CommitUrl,
  EnvironmentName,
  FingerprintOrEmpty,
  FlowName,
  FlowNameOrEmpty,
  Id,
  OrgName,
  PageUrl,
  PolicyName,
  PreviousInstances,
  SnapshotIndex,
  TemplateReferenceName,
  TrailName,
  Version,
} from '../shared/fields.ts'
import { Page, PerPage } from '../shared/page.ts'
import {
  AllowListed,
  ArtifactComplianceCount,
  FlowReason,
  PolicyDecision,
  Reason,
  UnknownBecause,
} from '../shared/verdict-wire.ts'
import { about, Closed, CommitTime, Nullable, OneOf, Time } from '../shared/wire.ts'

export const SnapshotPath = Closed('SnapshotPath', {
  org: OrgName,
  env_name: EnvironmentName,
  snapshot_expression: Type.String({
    description:
      'The snapshot: `N` or `#N` (from 1; negative from the latest), `~N` (behind the latest), `@{YYYY-MM-DDTHH:MM:SS}` (UTC), ' +
      '`@{N.hours.ago}` (hours, days, weeks or months), `@{now}`',
  }),
})

export const SnapshotQuery = Closed('SnapshotQuery', {
  archived: IncludeArchived,
  view: Type.Optional(
    OneOf(
      ['full', 'compact'],
      about(
        '`compact` leaves out what explains the verdicts: `flows`, `policy_decisions` and `reasons_for_incompliance` are ' +
          'empty, `pods` and `deployment_diff` are null. Everything else is the same. Defaults to `full`',
        'compact',
      ),
    ),
  ),
})

export const SnapshotListQuery = Closed('SnapshotListQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPage,
  interval: Type.Optional(
    Type.String({
      description:
        'Interval `A..B`, where each side is a number, `~N`, `NOW` or `@{…}`. Defaults to all snapshots',
    }),
  ),
  reverse: Type.Optional(Type.Boolean({ description: 'Whether to list the oldest first' })),
})

const IsPartial = Type.Boolean({
  description: 'Whether its report was partial: something that the reporter could not see may run too',
})
const ObservedAt = Nullable(Time('Time at which its report was observed; null if it does not say'), {
  examples: [null],
})

const IsStale = Type.Boolean({
  description: 'Whether it is the latest snapshot of a stale environment',
})

const SnapshotCause = Type.String(
  about(
    'Cause of the snapshot: report, evidence, policies, allow-list, members or expired-decision',
    'report',
  ),
)
const ExpiredDecisionOfSnapshot = Closed('ExpiredDecisionOfSnapshot', {
  id: Type.String(about('Id of the decision, which is an attestation', EXAMPLE_ID)),
  attestation_name: Nullable(
    Type.String(),
    about('Name of the attestation; null if the rule matches several', 'four-eyes'),
  ),
  control: Nullable(
    Type.String(),
    about('Control that the rule requires a decision on; null if it names none', 'SDLC-7'),
  ),
  flow_name: Nullable(Type.String(), about('Name that the flow had then', 'backend')),
  trail_name: Nullable(Type.String(), about('Name of the trail', 'release-42')),
  expires_at: Time('Time from which the decision no longer counts'),
})
const ExpiredDecisions = Type.Array(
  ExpiredDecisionOfSnapshot,
  about(
    `The decisions whose expiry caused the snapshot, at most ${MAX_EXPIRED_DECISIONS}; empty if something else did`,
    [],
  ),
)

export const SnapshotListItem = Closed('SnapshotListItem', {
  index: SnapshotIndex,
  from: Time('Time of the snapshot'),
  to: Type.Number(about('Time of the next snapshot, in epoch seconds; 0 for the latest', 0)),
  compliant: Type.Boolean(about('Whether it is compliant; also false if unknown, see `state`', true)),
  state: Nullable(Type.Boolean(), about('Whether it is compliant; null if unknown', true)),
  unknown_because: UnknownBecause,
  is_stale: IsStale,
  is_partial: IsPartial,
  observed_at: ObservedAt,
  duration: Type.Number(about('Seconds for which it was the latest snapshot', 3600)),
  cause: SnapshotCause,
  expired_decisions: ExpiredDecisions,
  artifact_compliance_count: Type.Record(
    Type.String(),
    Type.Integer(),
    about('Number of compliant, non-compliant and unknown artifacts', { true: 4, false: 1, null: 0 }),
  ),
})
export type SnapshotListItem = Static<typeof SnapshotListItem>
export const SnapshotList = Type.Array(SnapshotListItem)

const Annotation = Closed(
  'SnapshotAnnotation',
  {
    type: Type.String(about('The change since the previous snapshot; often `unchanged`', 'unchanged')),
    was: PreviousInstances,
    now: Type.Integer(about('Number of instances in this snapshot', 2)),
  },
  about('Change since the previous snapshot'),
)

const DeploymentDiff = Closed('DeploymentDiff', {
  diff_url: Nullable(
    Type.String({
      description:
        'URL of the code change; null if the commits are the same or belong to different repositories',
    }),
    { examples: [null] },
  ),
  previous_git_commit: Nullable(
    Type.String(),
    about('Commit of the replaced artifact; null if unknown', null),
  ),
  previous_git_commit_url: Nullable(
    Type.String(),
    about('URL of the commit of the replaced artifact; null if unknown', null),
  ),
  previous_fingerprint: Type.String(
    about(
      'Fingerprint of the replaced artifact',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ),
  ),
  previous_artifact_name: Type.String(
    about('Name of the replaced artifact', 'registry.example.com/backend:1.4.1'),
  ),
  previous_artifact_compliance_state: Type.String(about('Verdict on the replaced artifact', 'COMPLIANT')),
  previous_running: Type.Boolean({ description: 'Whether it still runs in this snapshot' }),
  previous_trail_name: Nullable(
    Type.String(),
    about('Trail of the replaced artifact; null if unknown', 'release-1.4.1'),
  ),
  previous_template_reference_name: Nullable(
    Type.String(),
    about('Template name of the replaced artifact; null if unknown', 'backend'),
  ),
})

const CommitShown = Closed(
  'SnapshotGitCommitInfo',
  {
    sha1: Type.Optional(CommitSha),
    message: Type.Optional(Type.String(about('Commit message', 'Round half to even'))),
    author: Type.Optional(
      Type.String(
        about('Author of the commit, as recorded by git or the provider', 'Ada Lovelace <ada@example.com>'),
      ),
    ),
    branch: Type.Optional(Type.String(about('Name of the branch', 'main'))),
    timestamp: CommitTime,
    url: Type.Optional(CommitUrl),
  },
  about('The git commit that it belongs to'),
)

const SnapshotFlow = Closed('SnapshotFlow', {
  flow_name: FlowName,
  trail_name: Nullable(TrailName),
  template_reference_name: Nullable(TemplateReferenceName),
  git_commit: Type.String(about('Full SHA-1 of the commit; empty if none was reported', EXAMPLE_COMMIT)),
  commit_url: CommitUrl,
  git_commit_info: Nullable(CommitShown),
  html_url: PageUrl,
  flow_html_url: Type.String(
    about('URL of the page of the flow', 'https://waybill.example.com/acme/flows/backend-ci'),
  ),
  annotations: Type.Record(
    Type.String(),
    Type.String(),
    about('Short custom facts from the reporter, by key', { ticket: 'PAY-42' }),
  ),
  deployment_diff: Nullable(DeploymentDiff, about('The artifact that it replaced; null if unknown', null)),
  commit_lead_time: Nullable(Type.Number(about('Seconds from commit to start', 5400))),
  artifact_compliance_in_flow: Type.Boolean(about('Whether the artifact is compliant in the flow', true)),
  flow_reasons_for_non_compliance: Type.Array(
    FlowReason,
    about('Reasons for non-compliance in the flow; empty if compliant', []),
  ),
})

const Pods = Type.Unsafe<Record<
  string,
  { namespace: string; creationTimestamp: number; owners: unknown[] }
> | null>({
  type: ['object', 'null'],
  title: 'Pods',
  additionalProperties: { type: 'object' },
  ...about('The pods where it runs, by name; null outside Kubernetes', null),
})

export const SnapshotArtifact = Closed('SnapshotArtifact', {
  name: ArtifactName,
  fingerprint: FingerprintOrEmpty,
  environment_name: Type.Optional(
    Type.String(about('In a logical environment, the member where it runs', 'production')),
  ),
  compliant: Type.Boolean(
    about('Whether it is compliant; also false if unknown, see `compliance_state`', true),
  ),
  compliance_state: OneOf(['COMPLIANT', 'NON-COMPLIANT', 'UNKNOWN'], about('The verdict', 'COMPLIANT')),
  creationTimestamp: Type.Array(
    Type.Integer(),
    about('Start time of each instance, in epoch seconds', [EXAMPLE_TIME]),
  ),
  annotation: Annotation,
  flow_name: FlowNameOrEmpty,
  git_commit: Type.String(about('Full SHA-1 of the commit that the artifact was built from', EXAMPLE_COMMIT)),
  commit_url: CommitUrl,
  html_url: PageUrl,
  flow_html_url: Type.String(
    about('URL of the page of the flow', 'https://waybill.example.com/acme/flows/backend-ci'),
  ),
  commit_lead_time: Nullable(
    Type.Number(),
    about('Seconds from the commit to its first start in the environment; null if unknown', 5400),
  ),
  deployment_diff: Nullable(DeploymentDiff, about('The artifact that it replaced; null if unknown', null)),
  deployments: Type.Array(Type.Integer(), about('Always empty; kept for existing clients', [])),
  flows: Type.Array(SnapshotFlow, about('The flows that reported the artifact')),
  policy_decisions: Type.Array(PolicyDecision, about('Verdict of each policy on the artifact')),
  reasons_for_incompliance: Type.Array(Reason, about('Reasons for non-compliance; empty if compliant', [])),
  allow_listed: AllowListed,
  pods: Pods,
  alternate_digests: Type.Array(
    Type.String(),
    about('Other fingerprints of the artifact, as reported; provenance under any of them counts', []),
  ),
  container_task_context: Nullable(
    Closed('ContainerTaskContext', {
      task_arn: Type.String(about('ARN of the task', 'arn:task/backend/1')),
      cluster_name: Nullable(Type.String(), about('Name of the cluster; null if not reported', 'main')),
      service_name: Nullable(Type.String(), about('Name of the service; null if there is none', 'backend')),
    }),
    about('The container task where it runs; null elsewhere', null),
  ),
  serverless_run_context: Nullable(
    Closed('ServerlessRunContext', {
      kind: Nullable(Type.String(), about('`service` or `job`; null if not reported', 'service')),
      revision_name: Nullable(Type.String(), about('Name of the revision; null for a job', 'backend-00042')),
      service_name: Nullable(Type.String(), about('Name of the service; null for a job', 'backend')),
      job_name: Nullable(Type.String(), about('Name of the job; null for a service', null)),
    }),
    about('The serverless service or job where it runs; null elsewhere', null),
  ),
  app_context: Nullable(
    Closed('AppContext', {
      app_name: Type.String(about('Name of the app', 'backend')),
      app_kind: Type.String(about('Type of the app', 'app,linux')),
      digests_source: Type.String(about('Source of the digests', 'logs')),
    }),
    about('The app where it runs; null elsewhere', null),
  ),
})
export type SnapshotArtifact = Static<typeof SnapshotArtifact>

const AppliedPolicy = Closed('AppliedPolicy', {
  id: Id,
  name: PolicyName,
  version: Version,
  policy_dump: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('The rules of this version, as they were applied', { artifacts: {} }),
  ),
  failing_artifacts: Type.Array(
    Type.String({ description: 'Fingerprint, or name if the fingerprint is unknown' }),
    about(
      'Fingerprints of the artifacts that violate the policy, or names if the fingerprint is unknown',
      [],
    ),
  ),
})
export type AppliedPolicy = Static<typeof AppliedPolicy>

export const SNAPSHOT_HEAD = {
  index: SnapshotIndex,
  is_latest: Type.Boolean(about('Whether this is the latest snapshot', true)),
  environment_name: EnvironmentName,
  type: OneOf([...ENVIRONMENT_TYPES], about('Type of the environment', 'K8S')),
  timestamp: Time('Time of the snapshot'),
  next_snapshot_timestamp: Nullable(Time('Time of the next snapshot; null for the latest'), {
    examples: [null],
  }),
  compliant: Type.Boolean(about('Whether it is compliant; also false if unknown, see `state`', true)),
  state: Nullable(
    Type.Boolean(
      about(
        'Whether it is compliant; null if unknown: no policy is attached, its report was partial, or it is the latest snapshot of a stale environment',
        true,
      ),
    ),
  ),
  unknown_because: UnknownBecause,
  is_stale: IsStale,
  is_partial: IsPartial,
  observed_at: ObservedAt,
  cause: SnapshotCause,
  expired_decisions: ExpiredDecisions,
  reported_by: Nullable(
    Type.String(about('The reporter; null if something else caused it, see `cause`', 'build-server')),
  ),
  html_url: PageUrl,
  artifact_compliance_count: ArtifactComplianceCount,
}

export const Snapshot = Closed('Snapshot', {
  ...SNAPSHOT_HEAD,
  applied_policies: Type.Array(AppliedPolicy, about('The policies in force, in the versions of that time')),
  artifacts: Type.Array(
    SnapshotArtifact,
    about('The running artifacts, and those that exited since the previous snapshot'),
  ),
})
export type Snapshot = Static<typeof Snapshot>
