// Fields that mean the same wherever they occur, each with its description and an example. Names that end in `Input`
// are validated; the others only occur in responses and paths.
import { Type } from 'typebox'
import { FINGERPRINT } from '../../domain/names.ts'
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT, EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts'
import { about, Closed, Described, Naming, Nullable, OneOf, Time, WebAddress, WholeSeconds } from './wire.ts'

export { Decided } from '../../domain/schema.ts'

// Names

export const OrgName = Type.String(about('Name of the organization', 'acme'))
/** The path of operations on the whole organization. */
export const OrgPath = Closed('OrgPath', { org: OrgName })
export const FlowName = Naming('flow', Type.String(about('Name of the flow', 'backend-ci')))
export const FlowNameOrEmpty = Type.String(
  about('Name of the flow; empty if no flow reported the artifact', 'backend-ci'),
)
export const TrailName = Type.String(about('Name of the trail', 'release-1.4.2'))
export const EnvironmentName = Naming(
  'environment',
  Type.String(about('Name of the environment', 'production')),
)
export const EnvironmentType = Type.String(about('Type of the environment', 'K8S'))
export const PolicyName = Naming('policy', Type.String(about('Name of the policy', 'production-rules')))
export const ArtifactName = Type.String(
  about('File or image name of the artifact', 'registry.example.com/backend:1.4.2'),
)
export const TemplateReferenceName = Type.String(
  about('Name of the artifact in the flow template', 'backend'),
)
export const AttestationName = Type.String(about('Name of the attestation, as in the template', 'unit-tests'))
export const AttestationType = Type.String(
  about('Type of the attestation, such as `junit` or `custom:coverage`', 'junit'),
)

// Ids, fingerprints and commits

export const Id = Type.String(about('Id, assigned by the service', EXAMPLE_ID))
export const AttestationId = Type.String(about('Id of the attestation', EXAMPLE_ID))
export const OverriddenAttestationId = Nullable(
  Type.String(),
  about('Id of the attestation that this one overrides; null if none', null),
)
export const ArtifactReportId = Type.String(about('Id of the artifact report', EXAMPLE_ID))
export const TemplateId = Type.String(about('Id of the template used for the evaluation', EXAMPLE_ID))
export const RepositoryId = Type.String(about('Id of the repository, assigned by the service', EXAMPLE_ID))
export const KeyId = Type.String(about('Id of the API key', EXAMPLE_ID))
const ABOUT_FINGERPRINT = about('SHA-256 fingerprint of the artifact', EXAMPLE_FINGERPRINT)
export const Fingerprint = Type.String(ABOUT_FINGERPRINT)
export const FingerprintInput = Type.String({ pattern: FINGERPRINT, ...ABOUT_FINGERPRINT })
export const FingerprintOrEmpty = Type.String(
  about('SHA-256 fingerprint of the artifact; empty if unknown', EXAMPLE_FINGERPRINT),
)
export const CommitSha = Type.String(about('Full SHA-1 of the commit', EXAMPLE_COMMIT))

// Links

export const PageUrl = Type.String(
  about('URL of its page in the web app', 'https://waybill.example.com/acme'),
)
export const CommitUrl = Type.String(
  about('URL of the commit', `https://git.example.com/acme/backend/commit/${EXAMPLE_COMMIT}`),
)
export const BuildUrl = Type.String(
  about('URL of the build that produced it', 'https://ci.example.com/builds/42'),
)
export const RepoUrl = Type.String(about('URL of the repository', 'https://git.example.com/acme/backend'))
const ORIGIN = [
  'URL of the process that reported it, such as a build',
  'https://ci.example.com/builds/42',
] as const
export const OriginUrl = Type.String(about(...ORIGIN))
export const OriginUrlInput = Described(WebAddress, ...ORIGIN)

// Numbers and states

const ABOUT_VERSION = about('Version number, starting at 1', 3)
export const Version = Type.Integer(ABOUT_VERSION)
export const VersionInput = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  ...ABOUT_VERSION,
})
export const SnapshotIndex = Type.Integer(about('Snapshot number, starting at 1 in each environment', 42))
export const LatestSnapshotIndex = Type.Integer(
  about('Number of the latest snapshot; 0 if there is none', 42),
)
export const StartSnapshotIndex = Type.Integer(about('Number of the snapshot in which it started', 42))
export const PreviousInstances = Type.Integer(about('Number of instances in the previous snapshot', 2))
export const EventsCount = Type.Integer(about('Total number of events'))
export const Archived = Type.Boolean(about('Whether it is archived: kept, but closed to new data', false))
export const FlowArchived = Type.Boolean(about('Whether its flow is archived', false))

// Verdicts

export const IsCompliant = Type.Boolean(about('Whether it is compliant', true))
export const ReasonText = Type.String(
  about('The reason, as a sentence', "Attestation 'unit-tests' is missing"),
)
export const Expected = Type.String(
  about('The requirement of the rule', 'a compliant attestation unit-tests of type junit'),
)
export const Found = Type.String(about('The actual state', 'no attestation'))
export const AllowReason = Type.String(about('Reason why the artifact is allowed', 'Reviewed by hand'))

// People

export const CreatedBy = Type.String(about('User or service account that created it', 'ada'))
export const ChangedBy = Type.String(about('User or service account that made the change', 'ada'))
export const AllowedBy = Type.String(about('User or service account that added the entry', 'ada'))
export const EventActor = Type.String(about('User or service account that caused the event', 'ada'))

// Times

export const CreatedAt = Time('Time of creation')
export const VersionCreatedAt = Time('Time when the version was created')
export const LastModifiedAt = Time('Time of the last change')
export const EventTime = Time('Time of the event')
export const EvaluatedAt = Time('Time of the last evaluation')
export const ReportedAt = Time('Time of the report')
export const StartedAt = Time('Time when the artifact started in the environment')
export const ExpiresAt = Time('Time of expiry')
export const ExpiresAtOrZero = WholeSeconds('Time of expiry; 0 means never')
export const ExpiresAtOrNull = Nullable(Time('Time of expiry; null means never'))
export const LastUsedAtOrZero = Time('Time of the last use; 0 means never')
export const PeriodStart = Time('Start of the period')
export const PeriodEnd = Time('End of the period', EXAMPLE_TIME + 86_400)
export const Day = Type.String(about('The day in UTC, as YYYY-MM-DD', '2026-03-03'))

// Parameters of lists

export const SortDirection = Type.Optional(
  OneOf(['asc', 'desc'], about('Sort direction: ascending or descending')),
)
export const CaseSensitive = Type.Optional(Type.Boolean(about('Whether the search is case-sensitive', false)))
export const RepoNameFilter = Type.Optional(
  Type.String(about('Only from the repository with this full name', 'acme/backend')),
)
export const SpaceIds = Type.Optional(
  Type.Array(Type.String(), about('Spaces are not supported, so any value matches nothing', ['everything'])),
)

const MAX_ADDRESSES = 100

/** For keys and organizations. */
export const AllowedAddresses = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: MAX_ADDRESSES,
  uniqueItems: true,
  ...about('IP addresses and CIDR ranges from which it may be used; empty means any', ['192.0.2.0/24']),
})
