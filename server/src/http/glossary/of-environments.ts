// Words that mean something of their own in environments: what runs, how it is judged, policies, deployments.
import type { SchemaWords, Word, Words } from './word.ts'

const KIND: Word = ['What kind of place it is', 'K8S']
const RUNNING: Words = {
  digests: [
    'Image or file name to SHA-256 of what runs',
    {
      'registry.example.com/backend:1.4.2':
        'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    },
  ],
  creationTimestamp: ['When it started, in seconds since 1970-01-01T00:00:00Z', 1_772_539_200],
}
const REPORT: Words = { artifacts: ['Everything that runs: what is left out has exited'] }
const APP: Words = {
  app_name: ['Name of the app', 'backend'],
  app_kind: ['Kind of the app', 'app,linux'],
  digests_source: ['Where the digests come from', 'logs'],
}
const TASK: Words = {
  cluster_name: ['Name of the cluster; null when it is not told', 'main'],
  service_name: ['Name of the service; null when there is none', 'backend'],
}
const REASON: Words = {
  type: ['What kind of reason it is', 'missing_attestation'],
  description: ['The reason as a sentence', "Attestation 'unit-tests' is missing"],
  rule: ['The kind of rule that is not met', 'attestation'],
}
const DIFFERENCE: Words = {
  name: ['File or image name of the artifact', 'registry.example.com/backend:1.4.2'],
  flow: ['Name of the flow; empty when nobody reported how it was built', 'backend-ci'],
  pods: ['Names of the pods it runs in', ['backend-7d4f']],
  instance_count: ['How many instances run', 2],
  s1_instance_count: ['How many instances run in the first snapshot', 1],
  s2_instance_count: ['How many instances run in the second snapshot', 2],
}
const LATEST_INDEX: Word = ['Number of the newest snapshot; 0 before the first', 42]
const SNAPSHOT: Words = {
  index: ['Number of the snapshot, counted from 1 in each environment', 42],
  is_latest: ['Whether no later snapshot exists', true],
  type: KIND,
  timestamp: ['When the snapshot was taken'],
  cause: ['What made it: report, evidence, policies, allow-list or members', 'report'],
}
const POLICY_YAML = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const POLICY: Words = {
  consuming_envs: ['Names of the environments it is attached to', ['production']],
  name: ['Name of the policy', 'production-rules'],
  description: ['What the policy is for, in free text', 'What production asks for'],
  type: ['What the policy judges: environments', 'env'],
}

export const ENVIRONMENT_WORDS: SchemaWords = {
  Environment: {
    name: ['Name of the environment', 'production'],
    type: ['What kind of place it is, in the word that was last sent', 'K8S'],
    neutral_type: ['What kind of place it is, in the word that this document uses', 'K8S'],
    description: ['What the environment is for', 'Where customers are served'],
    include_scaling: ['Whether a change of nothing but the number of instances makes a snapshot', false],
    require_provenance: ['Kept and given back; a policy is what requires provenance', false],
    included_environments: ['Of a logical environment, the names of those it combines', null],
    policies: ['Names of the policies in force', ['production-rules']],
    latest_snapshot_index: LATEST_INDEX,
  },
  CreateEnvironmentPutInput: {
    name: ['Name of the environment', 'production'],
    type: KIND,
    description: ['What the environment is for, in free text', 'Where customers are served'],
  },
  EnvironmentPatch: {
    description: ['What the environment is for; left alone when missing', 'Where customers are served'],
  },
  EnvironmentRename: {
    new_name: ['The name the environment gets; the old one keeps leading to it', 'production-eu'],
  },
  EnvironmentPage: { environments: ['The environments of the page'] },
  EnvironmentPolicies: { policy_names: ['Names of the policies', ['production-rules']] },
  PodReport: REPORT,
  TaskReport: REPORT,
  FunctionReport: REPORT,
  BucketReport: REPORT,
  ContainerReport: REPORT,
  PathReport: REPORT,
  AppReport: REPORT,
  RunReport: { ...REPORT, type: ['The kind of report', 'cloud-run'] },
  ReportedPod: {
    ...RUNNING,
    podName: ['Name of the pod', 'backend-7d4f'],
    namespace: ['Namespace of the pod', 'default'],
    owners: ['What made the pod; null when it is not told', null],
  },
  ReportedTask: { ...RUNNING, ...TASK, taskArn: ['Name of the task in the cloud', 'arn:task/backend/1'] },
  ReportedFunction: RUNNING,
  ReportedBucket: RUNNING,
  ReportedContainer: RUNNING,
  ReportedPath: RUNNING,
  ReportedApp: { ...RUNNING, ...APP },
  ReportedRun: {
    ...RUNNING,
    kind: ['Whether it is a service or a job; null when it is not told', 'service'],
    serviceName: ['Name of the service; null when it is a job', 'backend'],
    revisionName: ['Name of the revision; null when it is a job', 'backend-00042'],
    jobName: ['Name of the job; null when it is a service', null],
  },
  AppContext: APP,
  ContainerTaskContext: { ...TASK, task_arn: ['Name of the task in the cloud', 'arn:task/backend/1'] },
  ServerlessRunContext: {
    kind: ['Whether it is a service or a job; null when it was not told', 'service'],
    service_name: ['Name of the service; null when it is a job', 'backend'],
    revision_name: ['Name of the revision; null when it is a job', 'backend-00042'],
    job_name: ['Name of the job; null when it is a service', null],
  },
  Snapshot: {
    ...SNAPSHOT,
    applied_policies: ['The policies that were in force, as they were'],
    artifacts: ['What ran, and what exited since the snapshot before'],
  },
  SnapshotSummary: { ...SNAPSHOT, latest_snapshot_index: LATEST_INDEX },
  SnapshotArtifactPage: {
    snapshot: ['What is said of the snapshot as a whole'],
    exited_count: ['How many exited in this snapshot', 0],
    exited: ['What exited in this snapshot', []],
  },
  ExitedArtifact: {
    name: ['File or image name of the artifact', 'registry.example.com/backend:1.4.1'],
    flow_name: ['Name of the flow; empty when nobody reported how it was built', 'backend-ci'],
    was: ['How many instances ran in the snapshot before', 2],
  },
  EnvironmentTimeline: {
    from: ['Where the timeline begins'],
    to: ['Where the timeline ends'],
    latest_snapshot_index: LATEST_INDEX,
    total_snapshots: ['How many snapshots were taken from its beginning to its end', 3],
  },
  TimelineBucket: {
    from: ['Where the bucket begins'],
    to: ['Where the bucket ends'],
    compliant_seconds: ['For how many seconds of it the environment was compliant', 3600],
    non_compliant_seconds: ['For how many seconds of it the environment was not compliant', 0],
    unknown_seconds: ['For how many seconds of it nothing was known', 0],
    first_index: ['The first snapshot that was in force in it', 40],
    last_index: ['The last snapshot that was in force in it', 42],
    snapshots: ['How many snapshots were taken in it', 2],
    deployments: ['How many artifacts started to run in it', 2],
  },
  SnapshotListItem: {
    index: ['Number of the snapshot, counted from 1 in each environment', 42],
    cause: ['What made it: report, evidence, policies, allow-list or members', 'report'],
    from: ['When the snapshot was taken'],
    to: ['When the next one was taken; 0 for the latest', 0],
    duration: ['How many seconds it was the latest', 3600],
    artifact_compliance_count: [
      'How many artifacts are compliant, are not, and are not known',
      { true: 4, false: 1, null: 0 },
    ],
  },
  ArtifactComplianceCount: {
    true: ['How many are compliant', 4],
    false: ['How many are not compliant', 1],
    null: ['Of how many nothing is known', 0],
  },
  SnapshotAnnotation: {
    type: ['What happened since the snapshot before; `unchanged` for most', 'unchanged'],
    was: ['How many instances ran in the snapshot before', 2],
    now: ['How many instances run in this one', 2],
  },
  SnapshotArtifact: {
    name: ['File or image name of the artifact', 'registry.example.com/backend:1.4.2'],
    annotation: ['What happened since the snapshot before'],
    flow_name: ['Name of the flow; empty when nobody reported how it was built', 'backend-ci'],
    deployment_diff: ['What it replaced; null when that is not known', null],
    flows: ['The flows that reported how it was built'],
    reasons_for_incompliance: ['Why it is not compliant; empty when it is', []],
    pods: ['The pods it runs in, by name; null outside of a cluster', null],
    container_task_context: ['The task it runs in; null elsewhere', null],
    serverless_run_context: ['The service or job it runs in; null elsewhere', null],
    app_context: ['The app it runs in; null elsewhere', null],
    creationTimestamp: ['When each instance started, in seconds since 1970-01-01T00:00:00Z', [1_772_539_200]],
    deployments: ['Always empty; kept for clients that read it', []],
  },
  SnapshotFlow: {
    git_commit: ['Full SHA-1 of the commit; empty when the report named none'],
    deployment_diff: ['What it replaced; null when that is not known', null],
    artifact_compliance_in_flow: ['Whether the artifact is compliant in the flow', true],
    flow_reasons_for_non_compliance: ['Why it is not compliant in the flow; empty when it is', []],
  },
  SnapshotGitCommitInfo: {
    message: ['Message of the commit', 'Round half to even'],
    timestamp: ['When the commit was authored, in seconds since 1970-01-01T00:00:00Z', 1_772_535_600],
    url: ['Address of the commit', 'https://git.example.com/acme/backend/commit/4f2c1d0b'],
  },
  DeploymentDiff: {
    previous_git_commit: ['Commit of what ran before; null when not known', null],
    previous_git_commit_url: ['Address of the commit of what ran before; null when not known', null],
    previous_fingerprint: [
      'Fingerprint of what ran before',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
    previous_artifact_name: ['Name of what ran before', 'registry.example.com/backend:1.4.1'],
    previous_artifact_compliance_state: ['The verdict on what ran before', 'COMPLIANT'],
    previous_trail_name: ['Trail of what ran before; null when not known', 'release-1.4.1'],
    previous_template_reference_name: [
      'Name in the template of what ran before; null when not known',
      'backend',
    ],
  },
  Reason: REASON,
  AssertReason: REASON,
  FlowReason: REASON,
  AllowListed: {
    description: ['Why it may run', 'Reviewed by hand'],
    created_by: ['Who put it on the list', 'ada'],
  },
  AppliedPolicy: {
    name: ['Name of the policy', 'production-rules'],
    policy_dump: ['The rules of that version, as they were applied', { artifacts: {} }],
    failing_artifacts: ['Fingerprints of what the policy refuses, or names where they are not known', []],
  },
  PolicyDecision: {
    status: ['What the policy says', 'COMPLIANT'],
    rule_evaluations: ['What each rule of the policy says'],
  },
  RuleEvaluation: {
    rule: ['The rule'],
    satisfied: ['Whether the rule is met; null when it does not apply', true],
    ignored: ['Whether an exception of the policy applied', false],
    resolutions: ['What the rule looked at'],
  },
  EvaluatedRule: {
    type: ['The kind of rule', 'attestation'],
    definition: ['The rule as the policy has it', { name: 'unit-tests', type: 'junit' }],
  },
  RuleResolution: {
    type: ['What was found', 'rule_satisfied'],
    context: ['Where it was found'],
  },
  RuleResolutionContext: {
    attestation_ids: ['Ids of the attestations that count', ['0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d']],
    error: ['What stood in the way of an answer'],
  },
  EnvironmentEvent: {
    description: ['What happened, as a sentence', '1 instance started running (from 0 to 1)'],
    type: ['What happened', 'started-compliant'],
    flows: ['The flows that reported how it was built'],
    artifact_compliance: ['Whether the artifact was compliant; null when not known', true],
    snapshot_compliance: ['Whether the environment was compliant; null when not known', true],
    was: ['How many instances ran before', 0],
    now: ['How many instances run since', 1],
    sha256: [
      'SHA-256 fingerprint of the artifact',
      'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    ],
    pipeline: ['Name of the flow; kept for clients that read it', 'backend-ci'],
    deployments: ['Always empty; kept for clients that read it', []],
  },
  EnvironmentEventFlow: { deployments: ['Always null; kept for clients that read it', null] },
  EnvironmentEventLinks: { artifact: ['Where the artifact is'], snapshot: ['Where the snapshot is'] },
  EventArtifactLinks: {
    self: ['The artifact in the API; null when nobody reported how it was built', null],
    html: ['The page of the artifact; null when nobody reported how it was built', null],
  },
  EventSnapshotLinks: {
    self: ['The snapshot in the API', 'https://waybill.example.com/api/v2/snapshots/acme/production/42'],
    html: [
      'The page of the snapshot',
      'https://waybill.example.com/acme/environments/production/snapshots/42',
    ],
  },
  EnvironmentCompliance: {
    state: ['Whether what runs complies; null when that is not known', false],
    others: ['What is compliant or not known; only when asked for'],
    non_compliant: ['What is not compliant, each with its reasons'],
  },
  NonCompliantArtifact: {
    remedies: ['What would make it compliant', ['Attest unit-tests for the artifact']],
  },
  PolicyInForce: { name: ['Name of the policy', 'production-rules'] },
  EnvironmentDiff: {
    snappish1: ['What is only in the first snapshot'],
    snappish2: ['What is only in the second snapshot'],
    changed: ['What is in both, with another number of instances'],
    'not-changed': ['What is in both, unchanged'],
  },
  EnvironmentDiffSide: { snapshot_id: ['The snapshot', 'production#41'] },
  EnvironmentDiffArtifact: DIFFERENCE,
  EnvironmentDiffChangedArtifact: DIFFERENCE,
  Deployment: {
    id: ['Id of the deployment', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
    replaced: ['What ran there before under the same name; null when nothing did', null],
  },
  DeploymentPage: { deployments: ['The deployments of the page'] },
  EnvironmentDeploymentPage: { deployments: ['The deployments of the page'] },
  DeploymentFrequency: {
    total: ['How many deployments there were', 57],
    median_per_day: ['Median of the deployments per day', 2],
    lead_time: ['How long it took from commit to deployment'],
  },
  DeploymentsOfDay: {
    date: ['The day, in UTC', '2026-03-03'],
    count: ['How many deployments there were on the day', 3],
  },
  LeadTimePercentiles: {
    p50: ['Half took at most so many seconds; null without any', 5400],
    p90: ['Nine of ten took at most so many seconds; null without any', 21_600],
    p99: ['Ninety-nine of a hundred took at most so many seconds; null without any', 86_400],
  },
  Assertion: {
    scope: ['What was asked about', 'environment'],
    compliant: ['Whether the artifact may be used there', true],
    environment: ['Name of the environment, when one was asked about', 'production'],
    environment_is_stale: ['Whether the environment stopped reporting', false],
  },
  AssertedFlow: {
    flow: ['Name of the flow', 'backend-ci'],
    trail: ['Name of the trail; null when the artifact was reported without one', 'release-1.4.2'],
    compliance_status: ['The verdict in the flow; null when there is none', null],
  },
  Policy: POLICY,
  PolicyPut: POLICY,
  NamedPolicyPut: { ...POLICY, name: ['Name of the policy; the same as in the path', 'production-rules'] },
  PolicyVersion: {
    policy_yaml: ['The policy, as it was written', POLICY_YAML],
    comment: ['Why the version was made', 'Four eyes for production'],
  },
  PolicyVersionDetail: {
    comment: ['Why the version was made', 'Four eyes for production'],
    policy_yaml: ['The policy, as it was written', POLICY_YAML],
    is_latest: ['Whether no later version exists', true],
    policy_dump: ['The rules, as they are applied'],
  },
  PolicyDump: {
    schema_version: ['Version of the format of the rules', '1'],
    artifacts: ['Rules on artifacts'],
  },
  PolicyDumpArtifacts: {
    provenance: ['Whether a flow must have reported how it was built'],
    trail_compliance: ['Whether its trail must be compliant'],
    attestations: ['Attestations that it must have'],
  },
  PolicyRequirement: {
    required: ['Whether it is required', true],
    exceptions: ['When it is not required all the same'],
  },
  PolicyException: { if_condition: ['The condition of the exception'] },
  PolicyCondition: { text: ['The condition, as it is written in the policy', 'flow.name == "legacy"'] },
  PolicyAttestationRule: {
    name: ['Name the attestation must have; `*` for any', 'unit-tests'],
    type: ['Type the attestation must have; `*` for any', 'junit'],
    if_condition: ['When the rule applies; null for always', null],
    must_be_compliant: ['Whether being there is not enough', true],
    for_control: ['Identifier of the control that a decision must be about; null for none', null],
  },
  PolicyEvent: {
    type: ['What happened', 'policy_created'],
    data: ['What is known about it', { version: 1 }],
    user: ['Who did it', 'ada'],
  },
  PolicyWarning: {
    field: ['Where in the policy it is', 'artifacts.attestations[0].if'],
    expression: ['The expression', 'flow.nam == "legacy"'],
    message: ['What is strange about it', 'flow has no attribute nam'],
    column: ['Where in the expression it is, counted from 1', 6],
  },
  PolicyTried: { targets: ['What would change in each environment'], summary: ['What would change in all'] },
  PolicyTrySummary: {
    environments_that_would_turn_red: ['How many environments would stop being compliant', 0],
    environments_that_would_turn_green: ['How many environments would become compliant', 1],
    artifacts_that_would_turn_red: ['How many artifacts would stop being compliant', 0],
    artifacts_that_would_turn_green: ['How many artifacts would become compliant', 3],
  },
  PolicyTryTarget: {
    compliant_before: ['Whether the environment is compliant as it is; null when not known', false],
    compliant_after: ['Whether it would be compliant', true],
    counts_before: ['The artifacts as they are judged now'],
    counts_after: ['The artifacts as they would be judged'],
    flips_total: ['How many artifacts would be judged differently', 3],
    artifacts: ['How many artifacts run there', 5],
  },
  PolicyTryFlip: {
    compliant_before: ['Whether the artifact is compliant as it is; null when not known', false],
    compliant_after: ['Whether it would be compliant; null when not known', true],
    reasons_before: ['Why it is not compliant now'],
    reasons_after: ['Why it would not be compliant'],
  },
  AllowListEntry: {
    description: ['Why it may run', 'Reviewed by hand'],
    created_by: ['Who put it on the list', 'ada'],
    is_in_force: ['Whether the entry counts now', true],
  },
  AllowListPut: {
    description: ['Why it may run', 'Reviewed by hand'],
    expires_at: ['When the entry ends by itself; null or missing for never', null],
  },
}
