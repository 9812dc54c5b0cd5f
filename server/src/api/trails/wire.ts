// API schemas of trails.
import { type Static, Type } from 'typebox'
import { TRAIL_NAME, TRAIL_NAME_MAX } from '../../domain/names.ts'
import { type ComplianceState, evaluateTrail, type TrailEvidence } from '../../domain/trail/evaluate.ts'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import type { TrailEventRow } from '../../events/store.ts'
import { toWireId } from '../../lib/ids.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import { COLLECTED, COLLECTED_INPUT, toWireCollected } from '../shared/collected.ts'
import { EXAMPLE_FINGERPRINT, EXAMPLE_ID } from '../shared/examples.ts'
import {
  CreatedAt,
  CreatedBy,
  EventActor,
  EventsCount,
  EventTime,
  FlowArchived,
  FlowName,
  Id,
  LastModifiedAt,
  OrgName,
  OriginUrl,
  OriginUrlInput,
  PageUrl,
  TrailName,
} from '../shared/fields.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Page, Pagination, PerPage } from '../shared/page.ts'
import { ComplianceStatus, State } from '../shared/trail-status-wire.ts'
import {
  about,
  Closed,
  Described,
  ExternalUrls,
  FreeText,
  GitCommitInfo,
  NamePart,
  Naming,
  Nullable,
  OneOf,
  RepoInfo,
  Tags,
  toEpoch,
  toEpochOrNull,
  UserData,
} from '../shared/wire.ts'
import type { TrailRow } from './list-store.ts'
import type { StoredEvidence, TrailDetail } from './store.ts'

export const TrailPath = Closed('TrailPath', {
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
})

export const TrailQuery = Closed('TrailQuery', { archived: IncludeArchived, page: Page, per_page: PerPage })

export const TrailPut = Closed('TrailPut', {
  name: Type.String({
    pattern: TRAIL_NAME,
    maxLength: TRAIL_NAME_MAX,
    ...about(
      'Name of the trail, unique in its flow; usually a release, a ticket or a commit',
      'release-1.4.2',
    ),
  }),
  description: Type.Optional(Described(FreeText, 'Description of the trail, in free text', 'Release 1.4.2')),
  user_data: Type.Optional(UserData),
  git_commit_info: Type.Optional(GitCommitInfo),
  repo_info: Type.Optional(RepoInfo),
  external_urls: Type.Optional(ExternalUrls),
  origin_url: Type.Optional(OriginUrlInput),
  ...COLLECTED_INPUT,
})

export const TrailListQuery = Closed('TrailListQuery', {
  archived: OnlyArchived,
  page: Page,
  per_page: PerPage,
  flow: Type.Optional(Naming('flow', Type.String(about('Only trails of this flow', 'backend-ci')))),
  fingerprint: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [FingerprintPrefix, { type: 'string', maxLength: 0 }],
      ...about(
        'Only trails that contain the artifact with this fingerprint, in full or as a prefix of at least 5 characters. An empty value matches nothing',
        EXAMPLE_FINGERPRINT,
      ),
    }),
  ),
  flow_tag: Type.Optional(
    Type.String(about('Only trails of flows with this tag, as key=value', 'team=payments')),
  ),
  search_by_name: NamePart,
  state: Type.Optional(
    OneOf(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'], { description: 'Only trails in this state' }),
  ),
  from: Type.Optional(
    Type.String(
      about('Only trails that began at or after this time, in ISO 8601 or epoch seconds', '2026-03-01'),
    ),
  ),
  to: Type.Optional(
    Type.String(
      about(
        'Only trails that began at or before this time, in ISO 8601 or epoch seconds',
        '2026-03-31T18:00:00Z',
      ),
    ),
  ),
})

export const TrailSummary = Closed('TrailSummary', {
  id: Id,
  name: Type.String(
    about('Name of the trail, unique in its flow; usually a release, a ticket or a commit', 'release-1.4.2'),
  ),
  flow_name: FlowName,
  description: Type.String(about('Description of the trail, in free text', 'Release 1.4.2')),
  compliance_state: Described(
    State,
    'Whether everything that the template requires was reported and is compliant',
    'COMPLIANT',
  ),
  is_compliant: Type.Boolean(about('Whether `compliance_state` is COMPLIANT', true)),
  git_commit_info: Nullable(GitCommitInfo),
  repo_info: Nullable(RepoInfo),
  origin_url: Nullable(OriginUrl),
  external_urls: ExternalUrls,
  user_data: UserData,
  created_by: CreatedBy,
  created_at: CreatedAt,
  ...COLLECTED,
  last_modified_at: LastModifiedAt,
  archived: FlowArchived,
  html_url: PageUrl,
})

export const TrailPage = Closed('TrailPage', {
  data: Type.Array(TrailSummary, about('The items on this page')),
  pagination: Pagination,
})

export const TrailsOfFlowQuery = Closed('TrailsOfFlowQuery', {
  archived: IncludeArchived,
  page: Page,
  per_page: PerPage,
  fingerprint: Type.Optional(
    Type.String(about('Only trails that contain this artifact', EXAMPLE_FINGERPRINT)),
  ),
  search_by_name: NamePart,
})

/** A plain array, or the envelope if a page was requested. */
export const TrailList = Type.Unsafe<Static<typeof TrailSummary>[] | Static<typeof TrailPage>>({
  anyOf: [Type.Array(TrailSummary), TrailPage],
  title: 'TrailList',
})

const TemplateSlot = Closed('TemplateSlot', {
  name: Type.String(about('Name of the expected attestation', 'unit-tests')),
  type: Type.String(about('Required type; `*` means any', 'junit')),
})

const TrailTemplate = Closed(
  'TrailTemplate',
  {
    version: Type.Integer(about('Version of the template format', 1)),
    trail: Closed(
      'TrailTemplateBody',
      {
        attestations: Type.Array(TemplateSlot, about('Attestations expected for the trail itself')),
        artifacts: Type.Array(
          Closed('ArtifactSlot', {
            name: Type.String(about('Name of the expected artifact', 'backend')),
            attestations: Type.Array(TemplateSlot, about('Attestations expected for the artifact')),
          }),
          about('Expected artifacts, each with its attestations'),
        ),
      },
      about('Requirements of the template'),
    ),
    content: Type.String(about('The template in YAML', 'version: 1\n')),
  },
  about('The template that the trail started with'),
)

const TrailEvent = Type.Object(
  {
    type: Type.String(about('Type of the event', 'trail_reported')),
    timestamp: EventTime,
    org_id: Type.String(about('Id of the organization', EXAMPLE_ID)),
    flow_id: Type.String(about('Id of the flow', EXAMPLE_ID)),
    trail_id: Type.String(about('Id of the trail', EXAMPLE_ID)),
    user: EventActor,
  },
  { title: 'TrailEvent', description: 'Further keys depend on the type', additionalProperties: true },
)

export const Trail = Closed('Trail', {
  ...TrailSummary.properties,
  compliance_status: ComplianceStatus,
  repo_ids: Type.Array(
    Type.String(),
    about('Ids of the repositories that the trail was reported for', [EXAMPLE_ID]),
  ),
  template: TrailTemplate,
  flow: Closed('TrailFlow', { name: FlowName, tags: Tags }, about('The flow that the trail belongs to')),
  events: Type.Array(TrailEvent, { description: 'Events of the trail: the newest 1000, oldest first' }),
  events_count: EventsCount,
  pagination: Type.Optional(
    Described(
      Pagination,
      'Only with `page` or `per_page`: each list of attestations, reasons, waiting attestations and events is limited to this page of it. The total is that of the longest',
    ),
  ),
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
    ...toWireCollected({ collected_at: toEpochOrNull(row.collected_at), spooled: row.spooled }),
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
    attestations: listAttestations(TRAIL_SUBJECT),
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
