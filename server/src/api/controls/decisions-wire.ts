// Decisions on a control as the API sends them, and the filters it accepts.
import { type Static, Type } from 'typebox'
import { toWireId } from '../../lib/ids.ts'
import { Moment } from '../shared/moments.ts'
import {
  Annotations,
  Closed,
  EpochSeconds,
  ExternalUrls,
  GitCommitInfo,
  Nullable,
  toEpoch,
  UserData,
} from '../shared/wire.ts'
import type { DecisionDetailRow, DecisionRow } from './decisions-store.ts'
import { ControlPath, PerControlPage, type Site, SortDirection } from './wire.ts'

const MAX_FLOWS = 100
const MAX_FLOW_NAME = 255
const WIRE_ID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$'

export const DecisionsQuery = Closed('ControlDecisionsQuery', {
  is_compliant: Type.Optional(Type.Boolean({ description: 'Only decisions with this outcome' })),
  from_timestamp: Moment('Only decisions at or after this time, in epoch seconds'),
  to_timestamp: Moment('Only decisions at or before this time, in epoch seconds'),
  flow_name: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_FLOW_NAME }), {
      maxItems: MAX_FLOWS,
      description: 'Only decisions in this flow; may be repeated to match any of several',
    }),
  ),
  flow_id: Type.Optional(
    Type.Array(Type.String({ pattern: WIRE_ID }), {
      maxItems: MAX_FLOWS,
      description: 'Like `flow_name`, by the `id` of the flow',
    }),
  ),
  sort_direction: SortDirection,
  per_page: PerControlPage,
  cursor: Type.Optional(Type.String({ description: '`next` of the previous page' })),
})
export type DecisionsQuery = Static<typeof DecisionsQuery>

export const DecisionPath = Closed('ControlDecisionPath', {
  ...ControlPath.properties,
  decision_id: Type.String(),
})

const DECISION_FIELDS = {
  id: Type.String({ description: 'The id of the attestation' }),
  attestation_name: Type.String(),
  is_compliant: Type.Boolean(),
  flow_name: Type.String(),
  trail_name: Type.String(),
  artifact_name: Nullable(Type.String({ description: 'Null for a decision on the trail itself' })),
  artifact_fingerprint: Nullable(Type.String()),
  target_artifacts: Type.Array(Type.String(), {
    description: 'Artifacts that the decision is for, by their names in the template',
  }),
  control_version: Nullable(
    Type.Integer({
      description: 'Version of the control at that time; null if the control did not exist yet',
    }),
  ),
  description: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: EpochSeconds,
  html_url: Type.String(),
}

const Decision = Closed('ControlDecision', DECISION_FIELDS)

export const DecisionList = Closed('ControlDecisionList', {
  decisions: Type.Array(Decision),
  per_page: Type.Integer(),
  next: Nullable(Type.String({ description: 'The cursor of the next page; null at the end' })),
})

export const DecisionDetail = Closed('ControlDecisionDetail', {
  ...DECISION_FIELDS,
  attestation_data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Supporting data of the decision, as reported',
  }),
  git_commit_info: Nullable(GitCommitInfo),
  origin_url: Nullable(Type.String()),
  external_urls: ExternalUrls,
  annotations: Annotations,
  user_data: UserData,
  evidence_archive_fingerprint: Nullable(Type.String({ description: 'SHA-256 of the attachment' })),
})
export type DecisionDetail = Static<typeof DecisionDetail>

export function toWire(row: DecisionRow, { base_url, org }: Site): Static<typeof Decision> {
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
    html_url: `${base_url}/${trail}?attestation_id=${id}`,
  }
}

export function toWireDetail(row: DecisionDetailRow, site: Site): DecisionDetail {
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
