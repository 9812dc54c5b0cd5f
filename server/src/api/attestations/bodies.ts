// The request bodies of attestations: the fields that all types share, and the fields of each type. Keys that the
// verdict depends on are typed; other keys that tools write are passed through.
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { SystemType } from '../../domain/attestation/types.ts'
import {
  ATTESTATION_NAME,
  CONTROL_IDENTIFIER,
  CONTROL_IDENTIFIER_MAX,
  CUSTOM_TYPE_NAME,
  FINGERPRINT,
  TEMPLATE_NAME,
} from '../../domain/names.ts'
import {
  Annotations,
  Closed,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  LooseAddress,
  RepoInfo,
  UserData,
  WebAddress,
  WebAddressOrEmpty,
} from '../shared/wire.ts'

const MAX_NAME = 255
const MAX_TARGETS = 1000
const MAX_ITEMS = 10_000

/** The types that an override may name: built-in, custom or system. */
export const OVERRIDABLE_TYPE =
  '^(generic|junit|snyk|jira|sonar|pull_request|decision|sbom|custom:[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*|system:[a-z_]+)$'

const Name = Type.String({ pattern: ATTESTATION_NAME, maxLength: MAX_NAME })
const TargetName = Type.String({ pattern: TEMPLATE_NAME, maxLength: MAX_NAME })
const Count = Type.Integer({ minimum: 0 })

/** An object written by another tool, of which only these keys are checked. */
const Open = <P extends TProperties>(title: string, properties: P, description: string) =>
  Type.Unsafe<Static<TObject<P>> & Record<string, unknown>>(
    Type.Object(properties, { title, description, additionalProperties: true }),
  )

/** The fields of every attestation, whatever its type. */
export const COMMON_FIELDS = {
  attestation_name: Name,
  artifact_fingerprint: Type.Optional(
    Type.String({ pattern: FINGERPRINT, description: 'An artifact that was reported on the trail' }),
  ),
  target_artifacts: Type.Optional(
    Type.Array(TargetName, {
      maxItems: MAX_TARGETS,
      description: 'Artifacts by their names in the template. They do not have to be reported yet',
    }),
  ),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  external_urls: Type.Optional(ExternalUrls),
  origin_url: Type.Optional(WebAddress),
  user_data: Type.Optional(UserData),
  description: Type.Optional(FreeText),
  annotations: Type.Optional(Annotations),
}
const CommonBody = Closed('AttestationCommon', COMMON_FIELDS)
export type CommonBody = Static<typeof CommonBody>

export const GenericBody = Closed('GenericAttestation', { ...COMMON_FIELDS, is_compliant: Type.Boolean() })
export type GenericBody = Static<typeof GenericBody>

const JunitSuite = Closed('JunitSuite', {
  name: FreeText,
  failures: Count,
  errors: Count,
  skipped: Count,
  total: Count,
  duration: Type.Number({ description: 'Seconds' }),
  timestamp: Type.Optional(Type.Number()),
})

export const JunitBody = Closed('JunitAttestation', {
  ...COMMON_FIELDS,
  junit_results: Type.Array(JunitSuite, {
    maxItems: MAX_ITEMS,
    description: 'One entry for each test suite',
  }),
})
export type JunitBody = Static<typeof JunitBody>

const SnykFinding = Closed('SnykFinding', {
  id: FreeText,
  message: FreeText,
  locations: Type.Optional(
    Type.Array(Closed('SnykLocation', { uri: LooseAddress(65_536), lines: Type.Optional(Type.Unknown()) })),
  ),
  priority_score: Type.Optional(Type.Unknown()),
})
const SnykFindings = Type.Optional(
  Type.Unsafe<Static<typeof SnykFinding>[] | null>({
    type: ['array', 'null'],
    items: SnykFinding,
    maxItems: MAX_ITEMS,
  }),
)

const SnykRun = Closed('SnykRun', {
  high_count: Count,
  medium_count: Count,
  low_count: Count,
  high: SnykFindings,
  medium: SnykFindings,
  low: SnykFindings,
})

export const SnykBody = Closed('SnykAttestation', {
  ...COMMON_FIELDS,
  snyk_results: Closed('SnykResults', {
    schema_version: Type.Integer({ minimum: 1 }),
    tool: Closed('SnykTool', { name: FreeText, version: Type.Optional(FreeText) }),
    results: Type.Array(SnykRun, {
      maxItems: MAX_ITEMS,
      description: 'One entry for each run of the scanner',
    }),
  }),
})
export type SnykBody = Static<typeof SnykBody>

const JiraIssue = Closed('JiraIssue', {
  issue_id: Type.String({ minLength: 1, maxLength: MAX_NAME }),
  issue_url: WebAddressOrEmpty,
  issue_exists: Type.Boolean(),
  issue_fields: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      description: 'Fields of the issue, as the tracker gives them',
    }),
  ),
})

export const JiraBody = Closed('JiraAttestation', {
  ...COMMON_FIELDS,
  jira_results: Type.Array(JiraIssue, {
    maxItems: MAX_ITEMS,
    description: 'The issues that the change refers to',
  }),
})
export type JiraBody = Static<typeof JiraBody>

const QualityGate = Type.Unsafe<({ status: string } & Record<string, unknown>) | null>({
  type: ['object', 'null'],
  properties: { status: { type: 'string', description: '`OK` when the gate passed' } },
  required: ['status'],
  additionalProperties: true,
  title: 'SonarQualityGate',
})

const SonarProject = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  properties: { url: WebAddressOrEmpty },
  additionalProperties: true,
  title: 'SonarProject',
})

export const SonarBody = Closed('SonarAttestation', {
  ...COMMON_FIELDS,
  sonar_results: Open(
    'SonarResults',
    {
      serverUrl: Type.Optional(WebAddressOrEmpty),
      project: Type.Optional(SonarProject),
      qualityGate: Type.Optional(QualityGate),
    },
    'The analysis as the Sonar server returns it: serverUrl, taskId, status, analysedAt, revision, project, branch, ' +
      'pullRequest and qualityGate. Stored as sent; the verdict depends on the quality gate.',
  ),
})
export type SonarBody = Static<typeof SonarBody>

const Approver = Closed('PullRequestApprover', {
  username: FreeText,
  state: Type.Optional(FreeText),
  timestamp: Type.Optional(Type.Number()),
})

const PullRequestReview = Closed('PullRequestReview', {
  username: FreeText,
  state: FreeText,
  timestamp: Type.Optional(Type.Number()),
  commit_sha: Type.Optional(FreeText),
})

// Not GitCommitInfo, because git hosts use their own field names and some shorten the hash.
const PullRequestCommit = Closed('PullRequestCommit', {
  sha1: FreeText,
  message: Type.Optional(FreeText),
  author: Type.Optional(FreeText),
  author_username: Type.Optional(FreeText),
  timestamp: Type.Optional(Type.Number()),
  branch: Type.Optional(FreeText),
  url: Type.Optional(WebAddressOrEmpty),
  verified: Type.Optional(Type.Boolean()),
  signature_state: Type.Optional(FreeText),
})

const PullRequest = Closed('PullRequest', {
  url: WebAddressOrEmpty,
  state: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'The state, in the terms of the git host',
  }),
  merge_commit: Type.Optional(FreeText),
  approvers: Type.Optional(
    Type.Unsafe<(string | Static<typeof Approver>)[] | null>({
      type: ['array', 'null'],
      items: { anyOf: [Approver, { type: 'string' }] },
      maxItems: MAX_ITEMS,
    }),
  ),
  reviews: Type.Optional(Type.Array(PullRequestReview, { maxItems: MAX_ITEMS })),
  author: Type.Optional(FreeText),
  title: Type.Optional(FreeText),
  head_ref: Type.Optional(FreeText),
  base_ref: Type.Optional(FreeText),
  created_at: Type.Optional(Type.Number()),
  merged_at: Type.Optional(Type.Number()),
  commits: Type.Optional(Type.Array(PullRequestCommit, { maxItems: MAX_ITEMS })),
})

export const PullRequestBody = Closed('PullRequestAttestation', {
  ...COMMON_FIELDS,
  git_provider: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: '`github`, `gitlab`, `bitbucket`, `azure` or another git host',
  }),
  pull_requests: Type.Array(PullRequest, { maxItems: MAX_ITEMS }),
})
export type PullRequestBody = Static<typeof PullRequestBody>

export const CustomBody = Closed('CustomAttestation', {
  ...COMMON_FIELDS,
  type_name: Type.String({ pattern: CUSTOM_TYPE_NAME, maxLength: MAX_NAME }),
  attestation_data: Type.Unknown({ description: 'Any JSON that the schema of the type allows' }),
})
export type CustomBody = Static<typeof CustomBody>

const TypeName = <T extends SystemType>(type: T) => Type.Unsafe<T>({ type: 'string', const: type })

export type DecisionBody = Static<typeof DecisionBody>
const DecisionBody = Closed('DecisionAttestation', {
  ...COMMON_FIELDS,
  type_name: TypeName('decision'),
  control: Type.String({
    pattern: CONTROL_IDENTIFIER,
    maxLength: CONTROL_IDENTIFIER_MAX,
    description: 'Identifier of the control that the decision is about',
  }),
  attestation_data: Open(
    'DecisionData',
    { is_compliant: Type.Boolean() },
    'The decision and its supporting data',
  ),
})

const SbomBody = Closed('SbomAttestation', {
  ...COMMON_FIELDS,
  type_name: TypeName('sbom'),
  attestation_data: Open(
    'SbomData',
    {
      format: Type.String({ minLength: 1, maxLength: MAX_NAME }),
      original_fingerprint: Type.String({ pattern: FINGERPRINT }),
      document: Type.Optional(
        Type.Unsafe<Record<string, unknown> | null>({
          type: ['object', 'null'],
          description: 'Metadata of the SBOM document: created_at, tools, subject, package_count',
        }),
      ),
    },
    'Facts about the SBOM; the SBOM file itself is the attachment',
  ),
})
export type SbomBody = Static<typeof SbomBody>

/** Attestation types that Waybill itself defines, distinguished by `type_name`. */
export type SystemBody = DecisionBody | SbomBody
export const SystemBody = Type.Unsafe<SystemBody>({
  title: 'SystemAttestation',
  description: 'A decision on a control, or an SBOM',
  anyOf: [DecisionBody, SbomBody],
})

export const OverrideBody = Closed('OverrideAttestation', {
  ...COMMON_FIELDS,
  reason: Type.String({ minLength: 1, maxLength: 65_536 }),
  new_compliance_status: Type.Boolean(),
  original_attestation_type: Type.String({
    pattern: OVERRIDABLE_TYPE,
    maxLength: MAX_NAME + 'custom:'.length,
    description: 'A built-in type, `custom:<type name>`, `system:decision` or `system:sbom`',
  }),
})
export type OverrideBody = Static<typeof OverrideBody>
