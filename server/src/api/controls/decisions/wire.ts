// Decisions on a control as the API sends them, and the filters it accepts.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../../lib/ids.ts'
import { COLLECTED, toWireCollected } from '../../shared/collected.ts'
import { EpochTime } from '../../shared/epoch-times.ts'
import { EXAMPLE_ID } from '../../shared/examples.ts'
import {
  CreatedAt,
  CreatedBy,
  Decided,
  ExpiresAtOrNull,
  Fingerprint,
  FlowName,
  OriginUrl,
  PageUrl,
  SortDirection,
  TrailName,
} from '../../shared/fields.ts'
import {
  Cursor,
  ItemsPerPage,
  NextCursor,
  Page,
  PageCount,
  PageLinks,
  PageNumber,
  TotalCount,
} from '../../shared/page.ts'
import {
  Annotations,
  about,
  Closed,
  Described,
  ExternalUrls,
  GitCommitInfo,
  Naming,
  Nullable,
  toEpoch,
  toEpochOrNull,
  UserData,
} from '../../shared/wire.ts'
import { ControlPath, PerControlPage, type Site } from '../wire.ts'
import type { DecisionDetailRow, DecisionRow } from './store.ts'

const MAX_FLOWS = 100
const MAX_FLOW_NAME = 255
const WIRE_ID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$'

export const DecisionsQuery = Closed('ControlDecisionsQuery', {
  is_compliant: Type.Optional(Type.Boolean(about('Only decisions with this outcome', true))),
  from_timestamp: EpochTime('Only decisions at or after this time, in epoch seconds'),
  to_timestamp: EpochTime('Only decisions at or before this time, in epoch seconds'),
  flow_name: Type.Optional(
    Type.Array(Naming('flow', Type.String({ maxLength: MAX_FLOW_NAME })), {
      maxItems: MAX_FLOWS,
      ...about('Only decisions in this flow; may be repeated to match any of several', ['backend-ci']),
    }),
  ),
  flow_id: Type.Optional(
    Type.Array(Naming('flow id', Type.String({ pattern: WIRE_ID })), {
      maxItems: MAX_FLOWS,
      ...about('Like `flow_name`, by the `id` of the flow', [EXAMPLE_ID]),
    }),
  ),
  sort_direction: SortDirection,
  page: Page,
  per_page: PerControlPage,
  cursor: Cursor,
})
export type DecisionsQuery = Static<typeof DecisionsQuery>

export const DecisionPath = Closed('ControlDecisionPath', {
  ...ControlPath.properties,
  decision_id: Type.String(about('Id of the attestation with the decision', EXAMPLE_ID)),
})

const DECISION_FIELDS = {
  id: Type.String(about('The id of the attestation', EXAMPLE_ID)),
  attestation_name: Type.String(about('Name of the attestation with the decision', 'change-review')),
  is_compliant: Decided,
  flow_name: FlowName,
  trail_name: TrailName,
  artifact_name: Nullable(
    Type.String(
      about(
        'Name of the artifact; null for a decision on the trail itself',
        'registry.example.com/backend:1.4.2',
      ),
    ),
  ),
  artifact_fingerprint: Nullable(Fingerprint),
  target_artifacts: Type.Array(
    Type.String(),
    about('Artifacts that the decision is for, by their names in the template', ['backend']),
  ),
  control_version: Nullable(
    Type.Integer(about('Version of the control at that time; null if the control did not exist yet', 3)),
  ),
  description: Nullable(Type.String(), about('Description, in free text', 'Builds and tests the backend')),
  created_by: CreatedBy,
  created_at: CreatedAt,
  expires_at: ExpiresAtOrNull,
  is_expired: Type.Boolean(about('Whether it has expired, so that it no longer counts', false)),
  ...COLLECTED,
  html_url: PageUrl,
}

const Decision = Closed('ControlDecision', DECISION_FIELDS)

export const DecisionList = Closed('ControlDecisionList', {
  decisions: Type.Array(Decision, about('The decisions on this page')),
  per_page: ItemsPerPage,
  next: NextCursor,
  page: Type.Optional(Described(PageNumber, 'Page number, starting at 1; only if the request has one')),
  total_pages: Type.Optional(Described(PageCount, 'Number of pages; only if the request has a page')),
  total_count: Type.Optional(
    Described(TotalCount, 'Number of items on all pages; only if the request has a page'),
  ),
  _links: Type.Optional(Described(PageLinks, 'Links to the pages; only if the request has a page')),
})

export const DecisionDetail = Closed('ControlDecisionDetail', {
  ...DECISION_FIELDS,
  attestation_data: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('Supporting data of the decision, as reported', { is_compliant: true }),
  ),
  git_commit_info: Nullable(GitCommitInfo),
  origin_url: Nullable(OriginUrl),
  external_urls: ExternalUrls,
  annotations: Annotations,
  user_data: UserData,
  evidence_archive_fingerprint: Nullable(
    Type.String(
      about('SHA-256 of the attachment', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
    ),
  ),
})
export type DecisionDetail = Static<typeof DecisionDetail>

/** `now` determines what has expired. */
export interface DatedSite extends Site {
  now: Date
}

export function toWire(row: DecisionRow, { base_url, org, now }: DatedSite): Static<typeof Decision> {
  const id = toWireId(row.attestation_id)
  const trail = [org, 'flows', row.flow_name, 'trails', row.trail_name].map(encodeURIComponent).join('/')
  return {
    id,
    attestation_name: row.attestation_name,
    is_compliant: row.is_compliant,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    artifact_name: row.artifact_name,
    artifact_fingerprint: row.artifact_fingerprint,
    target_artifacts: row.target_artifacts,
    control_version: row.control_version,
    description: row.description,
    created_by: row.reported_by,
    created_at: toEpoch(row.created_at),
    expires_at: toEpochOrNull(row.expires_at),
    is_expired: row.expires_at !== null && row.expires_at <= now,
    ...toWireCollected(row),
    html_url: `${base_url}/${trail}?attestation_id=${id}`,
  }
}

export function toWireDetail(row: DecisionDetailRow, site: DatedSite): DecisionDetail {
  const report = row.report as Partial<DecisionDetail>
  return {
    ...toWire(row, site),
    attestation_data: report.attestation_data ?? {},
    git_commit_info: report.git_commit_info ?? null,
    origin_url: report.origin_url ?? null,
    external_urls: report.external_urls ?? {},
    annotations: report.annotations ?? {},
    user_data: report.user_data ?? {},
    evidence_archive_fingerprint: row.evidence_sha256,
  }
}
