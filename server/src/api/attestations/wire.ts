// Attestations as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { COMMIT } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { FlowName } from '../flows/wire.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import {
  Annotations,
  Closed,
  EpochSeconds,
  ExternalUrls,
  GitCommitInfo,
  Nullable,
  RepoInfo,
  toEpoch,
  UserData,
} from '../shared/wire.ts'
import type { AttestationRow } from './store.ts'

const SCHEMA_VERSION = 2
const MAX_PER_PAGE = 100

export const AttestationsOfTrailPath = Closed('AttestationsOfTrailPath', {
  org: Type.String(),
  flow_name: Type.String(),
  trail_name: Type.String(),
  attestation_name: Type.String(),
})
export const AttestationsOfArtifactPath = Closed('AttestationsOfArtifactPath', {
  org: Type.String(),
  flow_name: Type.String(),
  fingerprint: Type.String({ pattern: '^[a-f0-9]{5,64}$' }),
  attestation_name: Type.String(),
})
export const EvidencePath = Closed('EvidencePath', {
  org: Type.String(),
  flow_name: Type.String(),
  trail_name: Type.String(),
  attestation_id: Type.String(),
})

/** Between the years 1 and 9999. */
const Timestamp = Type.Number({ minimum: -62_135_596_800, maximum: 253_402_300_799 })

const FILTERS = {
  name: Type.Optional(Type.String({ description: 'Only attestations with this name' })),
  name_regex: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Only names that match this regular expression, in RE2 syntax',
    }),
  ),
  type: Type.Optional(
    Type.Array(Type.String(), { description: 'Only attestations of these types, such as decision' }),
  ),
  is_compliant: Type.Optional(Type.Boolean()),
  is_waiting: Type.Optional(
    Type.Boolean({
      description:
        'Only attestations that wait for an artifact which has not been reported yet, or only the others',
    }),
  ),
  from_timestamp: Type.Optional(Timestamp),
  to_timestamp: Type.Optional(Timestamp),
  after: Type.Optional(Type.String({ description: '`pagination.after` of the previous page' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE })),
}

export const AttestationListQuery = Closed('AttestationListQuery', {
  archived: OnlyArchived,
  attestation_id: Type.Optional(Type.String({ description: 'Only the attestation with this id' })),
  flow: Type.Optional(
    Type.Array(Type.String(), { description: 'Only attestations in these flows; may be repeated' }),
  ),
  ...FILTERS,
})

export const AttestationsOfFlowQuery = Closed('AttestationsOfFlowQuery', {
  archived: IncludeArchived,
  ...FILTERS,
})

const MAX_COMMITS = 150

export const AttestationCriteria = Closed('AttestationCriteria', {
  commit_list: Type.Array(Type.String({ pattern: COMMIT }), {
    minItems: 1,
    maxItems: MAX_COMMITS,
    description: 'Full commit hashes; may be repeated',
  }),
  flow_name: Type.Optional(FlowName),
  attestation_type: Type.Optional(
    Type.String({ description: 'Only attestations of this type, and overrides of them' }),
  ),
  attestation_name: Type.Optional(
    Type.String({
      description:
        'Only attestations with this name; as `artifact.attestation`, only those for artifacts with that name',
    }),
  ),
})

const Link = Closed('Link', { href: Type.String() })

/** The fields of every attestation; the payload of its type is added to them. */
const ATTESTATION_FIELDS = {
  schema_version: Type.Integer(),
  attestation_id: Type.String(),
  attestation_name: Type.String(),
  attestation_type: Type.String(),
  is_compliant: Type.Boolean(),
  flow_name: Type.String(),
  trail_name: Type.String(),
  artifact_fingerprint: Nullable(Type.String()),
  target_artifacts: Type.Array(Type.String()),
  waiting_for: Nullable(
    Type.String({ description: 'The artifact that it waits for; null when it does not wait' }),
  ),
  overridden_attestation_id: Nullable(Type.String()),
  git_commit_info: Nullable(GitCommitInfo),
  repo_info: Nullable(RepoInfo),
  origin_url: Nullable(Type.String()),
  external_urls: ExternalUrls,
  annotations: Annotations,
  user_data: UserData,
  description: Type.String(),
  evidence_archive_path: Nullable(Type.String()),
  evidence_archive_fingerprint: Nullable(Type.String()),
  has_audit_package: Type.Boolean(),
  reported_by: Type.String(),
  created_at: EpochSeconds,
  html_url: Type.String(),
  _links: Closed('AttestationLinks', { self: Link, evidence: Type.Optional(Link) }),
}

export const Attestation = Type.Object(ATTESTATION_FIELDS, {
  title: 'Attestation',
  description: 'Includes the payload of its type, such as junit_results, and the verdict',
  additionalProperties: true,
})
export type Attestation = Static<typeof Attestation>

export const AttestationList = Type.Array(Attestation)
export const AttestationPage = Closed('AttestationPage', {
  data: Type.Array(Attestation),
  pagination: Closed('AttestationCursor', { per_page: Type.Integer(), after: Nullable(Type.String()) }),
})

export const AttestationsByCommit = Type.Record(Type.String(), Type.Array(Attestation), {
  title: 'AttestationsByCommit',
  description: 'Every requested commit with its attestations, newest first',
})

export interface Site {
  base_url: string
  org: string
  org_id: string
}

export function toWire(row: AttestationRow, site: Site): Attestation {
  const {
    git_commit_info,
    repo_info,
    origin_url,
    external_urls,
    annotations,
    user_data,
    description,
    ...payload
  } = row.report as Partial<Attestation>
  return {
    ...toWirePayload(payload),
    schema_version: SCHEMA_VERSION,
    attestation_id: toWireId(row.attestation_id),
    attestation_name: row.attestation_name,
    attestation_type: row.attestation_type,
    is_compliant: row.is_compliant,
    flow_name: row.flow_name,
    trail_name: row.trail_name,
    artifact_fingerprint: row.artifact_fingerprint,
    target_artifacts: row.target_artifacts,
    waiting_for: row.is_waiting ? describeWaiting(row) : null,
    overridden_attestation_id: row.overridden_attestation_id && toWireId(row.overridden_attestation_id),
    git_commit_info: git_commit_info ?? null,
    repo_info: repo_info ?? null,
    origin_url: origin_url ?? null,
    external_urls: external_urls ?? {},
    annotations: annotations ?? {},
    user_data: user_data ?? {},
    description: description ?? '',
    ...toWireEvidence(row, site),
    has_audit_package: true,
    reported_by: row.reported_by,
    created_at: toEpoch(row.created_at),
    html_url: `${buildTrailUrl(row, site)}?attestation_id=${toWireId(row.attestation_id)}`,
  }
}

/** Scan results are returned under a different key than they are sent under. */
function toWirePayload({ snyk_results, ...payload }: Record<string, unknown>): Record<string, unknown> {
  return snyk_results === undefined ? payload : { ...payload, processed_snyk_results: snyk_results }
}

export function describeWaiting(row: { target_artifacts: string[]; git_commit: string | null }): string {
  return `waiting for artifact ${row.target_artifacts.join(' or ')} at commit ${row.git_commit}`
}

function toWireEvidence(row: AttestationRow, site: Site) {
  const id = toWireId(row.attestation_id)
  const self = { href: `${site.base_url}/api/v2/attestations/${site.org}?attestation_id=${id}` }
  if (row.evidence_sha256 === null) {
    return { evidence_archive_path: null, evidence_archive_fingerprint: null, _links: { self } }
  }
  const kind = row.artifact_fingerprint === null ? 'trail_attestation' : 'artifact_attestation'
  const path = [site.org, row.flow_name, 'trail', row.trail_name, 'attestation', id, 'evidence']
  const href = `${site.base_url}/api/v2/attestations/${path.map(encodeURIComponent).join('/')}`
  return {
    evidence_archive_path: `${toWireId(site.org_id)}/${kind}/${id}/${row.evidence_name ?? 'evidence'}`,
    evidence_archive_fingerprint: row.evidence_sha256,
    _links: { self, evidence: { href } },
  }
}

function buildTrailUrl(row: AttestationRow, { base_url, org }: Site): string {
  return `${base_url}/${[org, 'flows', row.flow_name, 'trails', row.trail_name].map(encodeURIComponent).join('/')}`
}
