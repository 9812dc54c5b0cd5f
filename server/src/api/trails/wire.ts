// API schemas of trails.
import { type Static, Type } from 'typebox'
import { TRAIL_NAME, TRAIL_NAME_MAX } from '../../domain/names.ts'
import { type ComplianceState, evaluateTrail, type TrailEvidence } from '../../domain/trail/evaluate.ts'
import { THE_TRAIL } from '../../domain/trail/subject.ts'
import { RULES } from '../../domain/trail/verdict.ts'
import type { TrailEventRow } from '../../events/store.ts'
import { toWireId } from '../../lib/ids.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import {
  Closed,
  EpochSeconds,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  NamePart,
  Nullable,
  OneOf,
  RepoInfo,
  Tags,
  toEpoch,
  UserData,
  WebAddress,
} from '../shared/wire.ts'
import type { TrailRow } from './list-store.ts'
import type { StoredEvidence, TrailDetail } from './store.ts'

export const TrailPath = Closed('TrailPath', {
  org: Type.String(),
  flow_name: Type.String(),
  trail_name: Type.String(),
})

export const TrailPut = Closed('TrailPut', {
  name: Type.String({ pattern: TRAIL_NAME, maxLength: TRAIL_NAME_MAX }),
  description: Type.Optional(FreeText),
  user_data: Type.Optional(UserData),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  external_urls: Type.Optional(ExternalUrls),
  origin_url: Type.Optional(WebAddress),
})

export const TrailListQuery = Closed('TrailListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  flow: Type.Optional(Type.String({ description: 'Only trails of this flow' })),
  fingerprint: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [FingerprintPrefix, { type: 'string', maxLength: 0 }],
      description:
        'Only trails that contain the artifact with this fingerprint, in full or as a prefix of at least 5 characters. An empty value matches nothing',
    }),
  ),
  flow_tag: Type.Optional(Type.String({ description: 'Only trails of flows with this tag, as key=value' })),
  search_by_name: NamePart,
  state: Type.Optional(
    OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'], { description: 'Only trails in this state' }),
  ),
  from: Type.Optional(
    Type.String({
      description: 'Only trails that began at or after this time, in ISO 8601 or epoch seconds',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'Only trails that began at or before this time, in ISO 8601 or epoch seconds',
    }),
  ),
})

const State = OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])

export const TrailSummary = Closed('TrailSummary', {
  id: Type.String(),
  name: Type.String(),
  flow_name: Type.String(),
  description: Type.String(),
  compliance_state: State,
  is_compliant: Type.Boolean(),
  git_commit_info: Nullable(GitCommitInfo),
  repo_info: Nullable(RepoInfo),
  origin_url: Nullable(Type.String()),
  external_urls: ExternalUrls,
  user_data: UserData,
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
  archived: Type.Boolean({ description: 'Whether its flow is archived' }),
  html_url: Type.String(),
})

export const TrailPage = Closed('TrailPage', { data: Type.Array(TrailSummary), pagination: Pagination })

export const TrailsOfFlowQuery = Closed('TrailsOfFlowQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPage,
  fingerprint: Type.Optional(Type.String({ description: 'Only trails that contain this artifact' })),
  search_by_name: NamePart,
})

/** A plain array, or the envelope if a page was requested. */
export const TrailList = Type.Unsafe<Static<typeof TrailSummary>[] | Static<typeof TrailPage>>({
  anyOf: [Type.Array(TrailSummary), TrailPage],
  title: 'TrailList',
})

const AttestationStatus = Closed('AttestationStatus', {
  attestation_name: Type.String(),
  attestation_type: Type.String(),
  attestation_id: Nullable(Type.String()),
  overridden_attestation_id: Nullable(Type.String()),
  status: OneOf(['MISSING', 'COMPLETE']),
  is_compliant: Nullable(Type.Boolean()),
  unexpected: Type.Boolean(),
})

const ComplianceReason = Closed(
  'ComplianceReason',
  {
    rule: OneOf([...RULES]),
    attestation_name: Type.Optional(Type.String()),
    attestation_type: Type.Optional(Type.String()),
    template_reference_name: Type.Optional(Type.String()),
    artifact_fingerprint: Type.Optional(Type.String()),
    expected: Type.String(),
    found: Type.String(),
    description: Type.String(),
  },
  { description: 'What was expected, what was found, and where' },
)

const BuildStatus = Closed('BuildStatus', {
  artifact_fingerprint: Type.String(),
  artifact_id: Type.String(),
  status: State,
  is_compliant: Type.Boolean(),
  attestations_statuses: Type.Array(AttestationStatus),
  reasons: Type.Array(ComplianceReason),
})

const ArtifactStatus = Closed('ArtifactStatus', {
  artifact_fingerprint: Nullable(Type.String()),
  artifact_id: Nullable(Type.String()),
  status: OneOf(['MISSING', 'INCOMPLETE', 'COMPLIANT', 'NON-COMPLIANT']),
  is_compliant: Nullable(Type.Boolean()),
  attestations_statuses: Type.Array(AttestationStatus),
  unexpected: Type.Boolean(),
  reasons: Type.Array(ComplianceReason),
  earlier_builds: Type.Array(BuildStatus, {
    description: 'Earlier builds with the same name that still count, newest first',
  }),
  evaluated_at: EpochSeconds,
  flow_template_id: Type.String(),
})

const WaitingAttestation = Closed('WaitingAttestation', {
  attestation_id: Type.String(),
  attestation_name: Type.String(),
  waiting_for: Type.String({ description: 'The artifact and commit that it will be attached to' }),
})

export const ComplianceStatus = Closed('ComplianceStatus', {
  status: State,
  is_compliant: Type.Boolean(),
  attestations_statuses: Type.Array(AttestationStatus),
  artifacts_statuses: Type.Record(Type.String(), ArtifactStatus),
  reasons: Type.Array(ComplianceReason),
  waiting: Type.Array(WaitingAttestation),
  evaluated_at: EpochSeconds,
  flow_template_id: Type.String(),
})

const TemplateSlot = Closed('TemplateSlot', { name: Type.String(), type: Type.String() })

const TrailTemplate = Closed('TrailTemplate', {
  version: Type.Integer(),
  trail: Closed('TrailTemplateBody', {
    attestations: Type.Array(TemplateSlot),
    artifacts: Type.Array(
      Closed('ArtifactSlot', { name: Type.String(), attestations: Type.Array(TemplateSlot) }),
    ),
  }),
  content: Type.String({ description: 'The YAML text' }),
})

const TrailEvent = Type.Object(
  {
    type: Type.String(),
    timestamp: EpochSeconds,
    org_id: Type.String(),
    flow_id: Type.String(),
    trail_id: Type.String(),
    user: Type.String(),
  },
  { title: 'TrailEvent', description: 'Further keys depend on the type', additionalProperties: true },
)

export const Trail = Closed('Trail', {
  ...TrailSummary.properties,
  compliance_status: ComplianceStatus,
  repo_ids: Type.Array(Type.String()),
  template: TrailTemplate,
  flow: Closed('TrailFlow', { name: Type.String(), tags: Tags }),
  events: Type.Array(TrailEvent, { description: 'The newest 1000, oldest first' }),
  events_count: Type.Integer({ description: 'Total number of events' }),
})
export type Trail = Static<typeof Trail>

/** Needed to build links. */
export interface Site {
  base_url: string
  org: string
}

export function toSummary(row: TrailRow, site: Site): Static<typeof TrailSummary> {
  const path = [site.org, 'flows', row.flow_name, 'trails', row.name].map(encodeURIComponent)
  return {
    id: toWireId(row.trail_id),
    name: row.name,
    flow_name: row.flow_name,
    description: row.description,
    compliance_state: row.compliance_state as ComplianceState,
    is_compliant: row.compliance_state === 'COMPLIANT',
    git_commit_info: row.git_commit_info,
    repo_info: row.repo_info,
    origin_url: row.origin_url,
    external_urls: row.external_urls ?? {},
    user_data: (row.user_data ?? {}) as Trail['user_data'],
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
    archived: row.is_archived,
    html_url: `${site.base_url}/${path.join('/')}`,
  }
}

export function toWire(
  row: TrailDetail,
  evidence: StoredEvidence,
  events: TrailEventRow[],
  org_id: string,
  site: Site,
): Trail {
  return {
    ...toSummary(row, site),
    compliance_status: toComplianceStatus(row, evidence),
    repo_ids: row.repo_ids.map(toWireId),
    template: { ...row.template, content: row.template_content },
    flow: { name: row.flow_name, tags: row.flow_tags },
    events: events.map(event => toEvent(event, org_id)),
    events_count: events[0]?.total ?? 0,
  }
}

function toEvidence({ slots, artifacts }: StoredEvidence): TrailEvidence {
  const listAttestations = (artifact_id: string) =>
    slots
      .filter(slot => slot.artifact_id === artifact_id)
      .map(slot => ({
        attestation_id: toWireId(slot.attestation_id),
        attestation_name: slot.attestation_name,
        attestation_type: slot.counts_as_type,
        is_compliant: slot.is_compliant,
        overridden_attestation_id: slot.overridden_attestation_id && toWireId(slot.overridden_attestation_id),
      }))
  return {
    attestations: listAttestations(THE_TRAIL),
    artifacts: artifacts.map(artifact => ({
      template_reference_name: artifact.template_reference_name,
      artifact_fingerprint: artifact.fingerprint,
      artifact_id: toWireId(artifact.artifact_id),
      report_id: artifact.report_id,
      is_declared_compliant: artifact.is_declared_compliant,
      reported_by: artifact.reported_by,
      attestations: listAttestations(artifact.artifact_id),
    })),
  }
}

function toWaiting({
  attestation_id,
  attestation_name,
  target_artifacts,
  git_commit,
}: StoredEvidence['waiting'][number]) {
  return {
    attestation_id: toWireId(attestation_id),
    attestation_name,
    waiting_for: `waiting for artifact ${target_artifacts.join(' or ')} at commit ${git_commit}`,
  }
}

function toComplianceStatus(row: TrailDetail, evidence: StoredEvidence): Trail['compliance_status'] {
  const { artifacts_statuses, ...verdict } = evaluateTrail(row.template, toEvidence(evidence))
  const evaluation = { evaluated_at: toEpoch(row.evaluated_at), flow_template_id: toWireId(row.template_id) }
  const artifacts = Object.entries(artifacts_statuses).map(([name, status]) => [
    name,
    { ...status, ...evaluation },
  ])
  return {
    ...verdict,
    artifacts_statuses: Object.fromEntries(artifacts),
    waiting: evidence.waiting.map(toWaiting),
    ...evaluation,
  }
}

function toEvent(event: TrailEventRow, org_id: string): Trail['events'][number] {
  const { template_id, ...data } = event.data
  return {
    type: event.kind,
    timestamp: toEpoch(event.happened_at),
    org_id: toWireId(org_id),
    flow_id: toWireId(event.flow_id ?? ''),
    trail_id: toWireId(event.trail_id ?? ''),
    user: event.actor,
    ...(typeof template_id === 'string' ? { template_id: toWireId(template_id) } : {}),
    ...data,
  }
}
