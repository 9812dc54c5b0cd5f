// Attestations as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { toReportedFields } from '../../domain/audit-package/compare.ts'
import { COMMIT } from '../../domain/names.ts'
import { toWireId } from '../../lib/ids.ts'
import { ConfirmedDecision } from '../decisions/wire.ts'
import { FlowNameInput } from '../flows/wire.ts'
import { IncludeArchived, OnlyArchived } from '../shared/archived.ts'
import { COLLECTED } from '../shared/collected.ts'
import { listFiles } from '../shared/evidence-files.ts'
import { EXAMPLE_FINGERPRINT, EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import {
  AttestationId,
  AttestationName,
  AttestationType,
  CreatedAt,
  FlowName,
  OrgName,
  OriginUrl,
  OverriddenAttestationId,
  PageUrl,
  TrailName,
} from '../shared/fields.ts'
import { ItemsPerPage, Link, Page, PageCount, PageNumber, PerPageUpTo, TotalCount } from '../shared/page.ts'
import {
  Annotations,
  about,
  Closed,
  Described,
  ExternalUrls,
  GitCommitInfo,
  Naming,
  Nullable,
  RepoInfo,
  toEpoch,
  UserData,
} from '../shared/wire.ts'
import type { AttestationRow } from './store.ts'

const SCHEMA_VERSION = 2
const MAX_PER_PAGE = 100

/** The path of the operation that reports attestations of a kind. */
export const buildReportPath = (slug: string) =>
  `/attestations/{org}/{flow_name}/trail/{trail_name}/${slug}` as const

export const AttestationsOfTrailPath = Closed('AttestationsOfTrailPath', {
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
  attestation_name: AttestationName,
})
export const AttestationsOfArtifactPath = Closed('AttestationsOfArtifactPath', {
  org: OrgName,
  flow_name: FlowName,
  fingerprint: Type.String({
    pattern: '^[a-f0-9]{5,64}$',
    ...about('SHA-256 fingerprint of the artifact', EXAMPLE_FINGERPRINT),
  }),
  attestation_name: AttestationName,
})
export const EvidencePath = Closed('EvidencePath', {
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
  attestation_id: AttestationId,
})
export const EvidenceQuery = Closed('EvidenceQuery', {
  archived: IncludeArchived,
  file: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|[a-f0-9]{64})$',
      ...about('Which file: its place in `evidence_files` from 1, or its SHA-256; by default the first', '1'),
    }),
  ),
  as: Type.Optional(
    Type.Union([Type.Literal('content'), Type.Literal('sent')], {
      default: 'content',
      ...about('`sent` for the bytes as they were sent, compressed or not', 'content'),
    }),
  ),
})

/** Between the years 1 and 9999. */
const Timestamp = Type.Number({ minimum: -62_135_596_800, maximum: 253_402_300_799 })

const FILTERS = {
  name: Type.Optional(Type.String(about('Only attestations with this name', 'backend'))),
  name_regex: Type.Optional(
    Type.String({
      maxLength: 500,
      ...about('Only names that match this regular expression, in RE2 syntax', '^unit-'),
    }),
  ),
  type: Type.Optional(
    Type.Array(Type.String(), about('Only attestations of these types, such as decision', ['junit'])),
  ),
  is_compliant: Type.Optional(Type.Boolean(about('Only attestations with this verdict', true))),
  is_waiting: Type.Optional(
    Type.Boolean({
      description:
        'Only attestations that wait for an artifact which has not been reported yet, or only the others',
    }),
  ),
  from_timestamp: Type.Optional(
    Described(Timestamp, 'Only attestations reported at or after this time, in epoch seconds', EXAMPLE_TIME),
  ),
  to_timestamp: Type.Optional(
    Described(
      Timestamp,
      'Only attestations reported at or before this time, in epoch seconds',
      1_772_625_600,
    ),
  ),
  after: Type.Optional(Type.String(about('`pagination.after` of the previous page', EXAMPLE_ID))),
  per_page: PerPageUpTo(MAX_PER_PAGE),
}

export const AttestationListQuery = Closed('AttestationListQuery', {
  archived: OnlyArchived,
  attestation_id: Type.Optional(Type.String(about('Only the attestation with this id', EXAMPLE_ID))),
  flow: Type.Optional(
    Type.Array(
      Naming('flow', Type.String()),
      about('Only attestations in these flows; may be repeated', ['backend-ci']),
    ),
  ),
  ...FILTERS,
})

export const AttestationsOfFlowQuery = Closed('AttestationsOfFlowQuery', {
  archived: IncludeArchived,
  page: Page,
  ...FILTERS,
})

const MAX_COMMITS = 150

export const AttestationCriteria = Closed('AttestationCriteria', {
  commit_list: Type.Array(Type.String({ pattern: COMMIT }), {
    minItems: 1,
    maxItems: MAX_COMMITS,
    description: 'Full commit hashes; may be repeated',
  }),
  flow_name: Type.Optional(FlowNameInput),
  attestation_id: Type.Optional(Type.String(about('Only the attestation with this id', EXAMPLE_ID))),
  attestation_type: Type.Optional(
    Type.String(about('Only attestations of this type, and overrides of them', 'junit')),
  ),
  attestation_name: Type.Optional(
    Type.String(
      about(
        'Only attestations with this name; as `artifact.attestation`, only those for artifacts with that name',
        'unit-tests',
      ),
    ),
  ),
})

const EvidenceFileOnWire = Closed('EvidenceFile', {
  name: Type.String(about('File name, as it was sent', 'junit.xml')),
  media_type: Type.String(about('Media type, as it was sent', 'application/xml')),
  bytes: Type.Integer(about('Size of the content', 2048)),
  sha256: Type.String(about('SHA-256 of the content', EXAMPLE_FINGERPRINT)),
  content_encoding: Nullable(
    Type.String(),
    about('How it was compressed when it was sent, gzip or zstd; null if it was not', null),
  ),
  stored_bytes: Type.Integer(about('Size as it was sent, and as it is stored', 2048)),
  stored_sha256: Type.String(
    about(
      'SHA-256 as it was sent, and as it is stored; `sha256` unless it was compressed',
      EXAMPLE_FINGERPRINT,
    ),
  ),
  _links: Closed(
    'EvidenceFileLinks',
    { self: Described(Link, 'Link to the content') },
    about('Links to this resource and related ones'),
  ),
})

/** The fields of every attestation; the payload of its type is added to them. */
const ATTESTATION_FIELDS = {
  schema_version: Type.Integer(about('Version of the record format', 1)),
  attestation_id: AttestationId,
  attestation_name: AttestationName,
  attestation_type: AttestationType,
  is_compliant: Type.Boolean(
    about('Whether the attestation is compliant, as reported or as evaluated by its rules', true),
  ),
  flow_name: FlowName,
  trail_name: TrailName,
  artifact_fingerprint: Nullable(
    Type.String(),
    about('Fingerprint of the attested artifact; null if it attests the trail', EXAMPLE_FINGERPRINT),
  ),
  target_artifacts: Type.Array(
    Type.String(),
    about('Template names of the artifacts that it attests, which may not be reported yet', []),
  ),
  waiting_for: Nullable(
    Type.String({ description: 'The artifact that it waits for; null if it does not wait' }),
    { examples: [null] },
  ),
  overridden_attestation_id: OverriddenAttestationId,
  git_commit_info: Nullable(GitCommitInfo),
  repo_info: Nullable(RepoInfo),
  origin_url: Nullable(OriginUrl),
  external_urls: ExternalUrls,
  annotations: Annotations,
  user_data: UserData,
  description: Type.String(about('Description, as it was reported', '')),
  evidence_archive_path: Nullable(
    Type.String(),
    about('Storage path of the first attached file; null if there is none', null),
  ),
  evidence_archive_fingerprint: Nullable(
    Type.String(),
    about('SHA-256 of the first attached file; null if there is none', null),
  ),
  evidence_files: Type.Array(
    EvidenceFileOnWire,
    about('The attached files, in the order they were sent', []),
  ),
  has_audit_package: Type.Boolean(about('Whether an audit package can be downloaded', true)),
  reported_by: Type.String(about('User or service account that reported it', 'build-server')),
  confirmed_decision: Type.Optional(ConfirmedDecision),
  created_at: CreatedAt,
  ...COLLECTED,
  html_url: PageUrl,
  _links: Closed(
    'AttestationLinks',
    {
      self: Described(Link, 'Link to the attestation'),
      evidence: Type.Optional(Described(Link, 'Link to the first attached file')),
    },
    about('Links to this resource and related ones'),
  ),
}

export const Attestation = Type.Object(ATTESTATION_FIELDS, {
  title: 'Attestation',
  description: 'Includes the payload of its type, such as junit_results, and the verdict',
  additionalProperties: true,
})
export type Attestation = Static<typeof Attestation>

export const AttestationList = Type.Array(Attestation)
const CURSOR = {
  per_page: ItemsPerPage,
  after: Nullable(Type.String(), about('Cursor of the next page; null on the last page', null)),
}
const Data = Type.Array(Attestation, about('The attestations on this page'))

export const AttestationPage = Closed('AttestationPage', {
  data: Data,
  pagination: Closed('AttestationCursor', CURSOR, about('Position of this page in the list')),
})

export const AttestationsOfFlowPage = Closed('AttestationsOfFlowPage', {
  data: Data,
  pagination: Closed(
    'AttestationsOfFlowPosition',
    {
      ...CURSOR,
      page: Type.Optional(Described(PageNumber, 'Page number, starting at 1; absent after a cursor')),
      page_count: Type.Optional(Described(PageCount, 'Number of pages; absent after a cursor')),
      total: Type.Optional(Described(TotalCount, 'Number of items on all pages; absent after a cursor')),
    },
    about('Position of this page in the list'),
  ),
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

type Reported = Pick<
  Attestation,
  | 'git_commit_info'
  | 'repo_info'
  | 'origin_url'
  | 'external_urls'
  | 'annotations'
  | 'user_data'
  | 'description'
  | 'collected_at'
  | 'spooled'
>

export function toWire(row: AttestationRow, site: Site): Attestation {
  return {
    ...(toReportedFields(row.report) as Reported),
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
    ...toWireEvidence(row, site),
    has_audit_package: true,
    reported_by: row.reported_by,
    created_at: toEpoch(row.created_at),
    html_url: `${buildTrailUrl(row, site)}?attestation_id=${toWireId(row.attestation_id)}`,
  }
}

function describeWaiting(row: { target_artifacts: string[]; git_commit: string | null }): string {
  return `waiting for artifact ${row.target_artifacts.join(' or ')} at commit ${row.git_commit}`
}

function toWireEvidence(row: AttestationRow, site: Site) {
  const id = toWireId(row.attestation_id)
  const self = { href: `${site.base_url}/api/v2/attestations/${site.org}?attestation_id=${id}` }
  const files = listFiles(row)
  const [first] = files
  if (!first) {
    return {
      evidence_archive_path: null,
      evidence_archive_fingerprint: null,
      evidence_files: [],
      _links: { self },
    }
  }
  const kind = row.artifact_fingerprint === null ? 'trail_attestation' : 'artifact_attestation'
  const path = [site.org, row.flow_name, 'trail', row.trail_name, 'attestation', id, 'evidence']
  const href = `${site.base_url}/api/v2/attestations/${path.map(encodeURIComponent).join('/')}`
  return {
    evidence_archive_path: `${toWireId(site.org_id)}/${kind}/${id}/${first.name}`,
    evidence_archive_fingerprint: first.sha256,
    evidence_files: files.map((file, i) => ({
      ...file,
      _links: { self: { href: `${href}?file=${i + 1}` } },
    })),
    _links: { self, evidence: { href } },
  }
}

function buildTrailUrl(row: AttestationRow, { base_url, org }: Site): string {
  return `${base_url}/${[org, 'flows', row.flow_name, 'trails', row.trail_name].map(encodeURIComponent).join('/')}`
}
