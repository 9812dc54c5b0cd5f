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
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import { Decided, OriginUrlInput } from '../shared/fields.ts'
import {
  Annotations,
  about,
  Closed,
  CommitAuthor,
  CommitAuthorName,
  CommitBranch,
  CommitMessage,
  CommitSignatureState,
  CommitVerified,
  Described,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  LooseAddress,
  RepoInfo,
  UserData,
  WebAddressOrEmpty,
} from '../shared/wire.ts'

const MAX_NAME = 255
const MAX_TARGETS = 1000
const MAX_ITEMS = 10_000

/** The types that an override may name: built-in, custom or system. */
export const OVERRIDABLE_TYPE =
  '^(generic|junit|snyk|jira|sonar|pull_request|decision|sbom|custom:[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*|system:[a-z_]+)$'

const Name = Type.String({
  pattern: ATTESTATION_NAME,
  maxLength: MAX_NAME,
  ...about('Name of the attestation, as in the template', 'unit-tests'),
})
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
    Type.String({
      pattern: FINGERPRINT,
      ...about('Fingerprint of an artifact that was reported on the trail', EXAMPLE_FINGERPRINT),
    }),
  ),
  target_artifacts: Type.Optional(
    Type.Array(TargetName, {
      maxItems: MAX_TARGETS,
      ...about('Artifacts by their names in the template. They do not have to be reported yet', ['backend']),
    }),
  ),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  external_urls: Type.Optional(ExternalUrls),
  origin_url: Type.Optional(OriginUrlInput),
  user_data: Type.Optional(UserData),
  description: Type.Optional(
    Described(FreeText, 'Description, in free text', 'Builds and tests the backend'),
  ),
  annotations: Type.Optional(Annotations),
}
const CommonBody = Closed('AttestationCommon', COMMON_FIELDS)
export type CommonBody = Static<typeof CommonBody>

export const GenericBody = Closed('GenericAttestation', {
  ...COMMON_FIELDS,
  is_compliant: Type.Boolean(about('The verdict of the reporter', true)),
})
export type GenericBody = Static<typeof GenericBody>

const JunitSuite = Closed('JunitSuite', {
  name: Described(FreeText, 'Name of the test suite', 'unit'),
  failures: Described(Count, 'Number of failed tests', 0),
  errors: Described(Count, 'Number of tests that ended with an error', 0),
  skipped: Described(Count, 'Number of skipped tests', 1),
  total: Described(Count, 'Number of tests', 312),
  duration: Type.Number({ description: 'Duration of the test run in seconds' }),
  timestamp: Type.Optional(Type.Number(about('Time of the test run, in epoch seconds', 1_772_535_600))),
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
  id: Described(FreeText, 'Id of the finding in the vulnerability database', 'VULN-1001'),
  message: Described(FreeText, 'Description of the finding', 'Prototype pollution in a dependency'),
  locations: Type.Optional(
    Type.Array(
      Closed('SnykLocation', {
        uri: LooseAddress(65_536, about('File that contains the finding', 'package-lock.json')),
        lines: Type.Optional(Type.Unknown(about('Lines in the file', 12))),
      }),
      about('Locations in the source'),
    ),
  ),
  priority_score: Type.Optional(Type.Unknown(about('Priority, as rated by the tool', 640))),
})
const SnykFindings = Type.Optional(
  Type.Unsafe<Static<typeof SnykFinding>[] | null>({
    type: ['array', 'null'],
    items: SnykFinding,
    maxItems: MAX_ITEMS,
  }),
)

const SnykRun = Closed('SnykRun', {
  high_count: Described(Count, 'Number of findings of high severity', 0),
  medium_count: Described(Count, 'Number of findings of medium severity', 1),
  low_count: Described(Count, 'Number of findings of low severity', 4),
  high: Described(SnykFindings, 'The findings of high severity; null if not listed', null),
  medium: Described(SnykFindings, 'The findings of medium severity; null if not listed', null),
  low: Described(SnykFindings, 'The findings of low severity; null if not listed', null),
})

export const SnykBody = Closed('SnykAttestation', {
  ...COMMON_FIELDS,
  snyk_results: Closed(
    'SnykResults',
    {
      schema_version: Type.Integer({ minimum: 1, ...about('Version of the results format', 1) }),
      tool: Closed(
        'SnykTool',
        {
          name: Described(FreeText, 'Name of the tool', 'scanner'),
          version: Type.Optional(Described(FreeText, 'Version of the tool', '1.1293.0')),
        },
        about('The scanner'),
      ),
      results: Type.Array(SnykRun, {
        maxItems: MAX_ITEMS,
        description: 'One entry for each run of the scanner',
      }),
    },
    about("Scan results, in the format of the scanner's command line"),
  ),
})
export type SnykBody = Static<typeof SnykBody>

const JiraIssue = Closed('JiraIssue', {
  issue_id: Type.String({ minLength: 1, maxLength: MAX_NAME, ...about('Key of the issue', 'PAY-42') }),
  issue_url: Described(WebAddressOrEmpty, 'URL of the issue', 'https://tickets.example.com/browse/PAY-42'),
  issue_exists: Type.Boolean(about('Whether the issue exists in the tracker', true)),
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
  properties: { status: { type: 'string', ...about('Status of the quality gate; `OK` if it passed', 'OK') } },
  required: ['status'],
  additionalProperties: true,
  title: 'SonarQualityGate',
  ...about('The quality gate, which decides the verdict'),
})

const SonarProject = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  properties: {
    url: Described(
      WebAddressOrEmpty,
      'URL of the project',
      'https://quality.example.com/dashboard?id=backend',
    ),
  },
  additionalProperties: true,
  title: 'SonarProject',
  ...about('The analysed project: key, name and url'),
})

export const SonarBody = Closed('SonarAttestation', {
  ...COMMON_FIELDS,
  sonar_results: Open(
    'SonarResults',
    {
      serverUrl: Type.Optional(
        Described(WebAddressOrEmpty, 'URL of the Sonar server', 'https://quality.example.com'),
      ),
      project: Type.Optional(SonarProject),
      qualityGate: Type.Optional(QualityGate),
    },
    'The analysis as the Sonar server returns it: serverUrl, taskId, status, analysedAt, revision, project, branch, ' +
      'pullRequest and qualityGate. Stored as sent; the verdict depends on the quality gate.',
  ),
})
export type SonarBody = Static<typeof SonarBody>

const Approver = Closed('PullRequestApprover', {
  username: Described(FreeText, 'User name at the git provider', 'grace'),
  state: Type.Optional(Described(FreeText, 'Verdict of the review', 'APPROVED')),
  timestamp: Type.Optional(Type.Number(about('Time of the review, in epoch seconds', 1_772_532_000))),
})

const PullRequestReview = Closed('PullRequestReview', {
  username: Described(FreeText, 'User name at the git provider', 'grace'),
  state: Described(FreeText, 'Verdict of the review', 'APPROVED'),
  timestamp: Type.Optional(Type.Number(about('Time of the review, in epoch seconds', 1_772_532_000))),
  commit_sha: Type.Optional(Described(FreeText, 'Full SHA-1 of the commit', EXAMPLE_COMMIT)),
})

// Not GitCommitInfo, because git hosts use their own field names and some shorten the hash.
const PullRequestCommit = Closed('PullRequestCommit', {
  sha1: Described(FreeText, 'Full SHA-1 of the commit', EXAMPLE_COMMIT),
  message: CommitMessage,
  author: CommitAuthor,
  author_username: CommitAuthorName,
  timestamp: Type.Optional(Type.Number(about('Author time of the commit, in epoch seconds', 1_772_449_200))),
  branch: CommitBranch,
  url: Type.Optional(
    Described(WebAddressOrEmpty, 'URL of the commit', 'https://git.example.com/acme/backend/commit/4f2c1d0b'),
  ),
  verified: CommitVerified,
  signature_state: CommitSignatureState,
})

const PullRequest = Closed('PullRequest', {
  url: Described(
    WebAddressOrEmpty,
    'URL of the pull request',
    'https://git.example.com/acme/backend/pull/42',
  ),
  state: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    ...about('The state, in the terms of the git host', 'MERGED'),
  }),
  merge_commit: Type.Optional(Described(FreeText, 'SHA-1 of the merge commit', EXAMPLE_COMMIT)),
  approvers: Type.Optional(
    Type.Unsafe<(string | Static<typeof Approver>)[] | null>({
      type: ['array', 'null'],
      items: { anyOf: [Approver, { type: 'string' }] },
      maxItems: MAX_ITEMS,
      ...about('The approvers: user names, or objects with state and time', ['grace']),
    }),
  ),
  reviews: Type.Optional(
    Type.Array(PullRequestReview, { maxItems: MAX_ITEMS, ...about('All reviews, whatever their verdict') }),
  ),
  author: Type.Optional(Described(FreeText, 'User name of the author', 'ada')),
  title: Type.Optional(Described(FreeText, 'Title of the pull request', 'Round half to even')),
  head_ref: Type.Optional(Described(FreeText, 'The source branch', 'round-half-to-even')),
  base_ref: Type.Optional(Described(FreeText, 'The target branch', 'main')),
  created_at: Type.Optional(Type.Number(about('Time when it was opened, in epoch seconds', 1_772_449_200))),
  merged_at: Type.Optional(Type.Number(about('Time when it was merged, in epoch seconds', 1_772_535_600))),
  commits: Type.Optional(
    Type.Array(PullRequestCommit, { maxItems: MAX_ITEMS, ...about('The commits of the pull request') }),
  ),
})

export const PullRequestBody = Closed('PullRequestAttestation', {
  ...COMMON_FIELDS,
  git_provider: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'The git host: `github`, `gitlab`, `bitbucket`, `azure` or another one',
  }),
  pull_requests: Type.Array(PullRequest, {
    maxItems: MAX_ITEMS,
    ...about('The pull requests that contain the commit'),
  }),
})
export type PullRequestBody = Static<typeof PullRequestBody>

export const CustomBody = Closed('CustomAttestation', {
  ...COMMON_FIELDS,
  type_name: Type.String({
    pattern: CUSTOM_TYPE_NAME,
    maxLength: MAX_NAME,
    ...about('Name of the custom attestation type', 'coverage-metrics'),
  }),
  attestation_data: Type.Unknown({ description: 'Any JSON that the schema of the type allows' }),
})
export type CustomBody = Static<typeof CustomBody>

const TypeName = <T extends SystemType>(type: T) => Type.Unsafe<T>({ type: 'string', const: type })

export type DecisionBody = Static<typeof DecisionBody>
const DecisionBody = Closed('DecisionAttestation', {
  ...COMMON_FIELDS,
  type_name: Described(TypeName('decision'), 'Always `decision`', 'decision'),
  control: Type.String({
    pattern: CONTROL_IDENTIFIER,
    maxLength: CONTROL_IDENTIFIER_MAX,
    description: 'Identifier of the control that the decision is about',
  }),
  attestation_data: Open('DecisionData', { is_compliant: Decided }, 'The decision and its supporting data'),
})

const SbomBody = Closed('SbomAttestation', {
  ...COMMON_FIELDS,
  type_name: Described(TypeName('sbom'), 'Always `sbom`', 'sbom'),
  attestation_data: Open(
    'SbomData',
    {
      format: Type.String({
        minLength: 1,
        maxLength: MAX_NAME,
        ...about('Format and version of the SBOM', 'cyclonedx-1.6'),
      }),
      original_fingerprint: Type.String({
        pattern: FINGERPRINT,
        ...about(
          'SHA-256 of the original SBOM file',
          '3f786850e387550fdab836ed7e6dc881de23001b6c0f3b4a5d6e7f8091a2b3c4',
        ),
      }),
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
  reason: Type.String({
    minLength: 1,
    maxLength: 65_536,
    ...about('Reason for the override', 'The failing test is known to be wrong'),
  }),
  new_compliance_status: Type.Boolean(about('The new verdict', true)),
  original_attestation_type: Type.String({
    pattern: OVERRIDABLE_TYPE,
    maxLength: MAX_NAME + 'custom:'.length,
    description:
      'Type of the overridden attestation: built-in, `custom:<type name>`, `system:decision` or `system:sbom`',
  }),
})
export type OverrideBody = Static<typeof OverrideBody>
